"""`exir-viz diff`: what it prints, its exit codes, and that two files are all it needs: no torch."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import exir_viz
from exir_viz import cli
from exir_viz.cli.diff import colored
from exir_viz.compare.records import KINDS
from tests.compare.mutate import mutate
from tests.corpus import programs
from tests.snapshot.sample import chain, hostile, sample

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("a.exirviz (aten)", "b.exirviz (aten)")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    pair = mutate(chain(60), "mixed", share=0.1, seed=1)[:2]  # of every kind
    return [str(one.save(tmp_path / f"{name}.exirviz")) for name, one in zip("ab", pair, strict=True)]


def test_it_prints_the_summary(files: list[str], capsys) -> None:
    assert cli.main(["diff", *files]) == 0
    out = capsys.readouterr().out
    assert out == f"{exir_viz.diff(*files, names=NAMES)}\n"
    assert "Rules" in out
    assert "Modules" in out
    assert max(map(len, out.splitlines())) <= 96


@pytest.mark.parametrize("form", [[], ["--json"], ["--markdown"], ["--text"]])
def test_check_is_one_where_they_differ(form: list[str], files: list[str], capsys) -> None:
    assert cli.main(["diff", *files, "--check", *form]) == 1
    assert cli.main(["diff", files[0], files[0], "--check", *form]) == 0
    assert capsys.readouterr().err == ""


def test_the_other_forms(files: list[str], capsys) -> None:
    diff = exir_viz.diff(*files, names=NAMES)
    assert cli.main(["diff", *files, "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["counts"] == {kind: getattr(diff.counts, kind) for kind in KINDS}
    assert all(fact.keys() == {"topic", "name", "text", "before", "after"} for fact in plain["facts"])
    assert cli.main(["diff", *files, "--markdown"]) == 0
    assert capsys.readouterr().out == diff.to_markdown()
    assert cli.main(["diff", *files, "--text"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [one.strip() for one in lines if "unchanged ·" in one] == [
        f"· {row.hidden:,} unchanged ·" for row in diff.text() if row.hidden
    ]


def test_ops_are_counted_on_both_sides(files: list[str], capsys) -> None:
    (most, *_) = exir_viz.diff(*files).ops
    assert cli.main(["diff", *files]) == 0
    number = f"{most.after - most.before:+}".replace("-", "−")
    op = most.op.removesuffix(".default")
    assert re.search(rf"\nOps  \+\d+ −\d+\n  {re.escape(f'{number} {op}')}", capsys.readouterr().out)
    assert cli.main(["diff", *files, "--markdown"]) == 0
    assert f"| `{op}` | {most.before} | {most.after} |" in capsys.readouterr().out


def test_a_method_is_chosen_for_the_text_alone(files: list[str], capsys) -> None:
    assert cli.main(["diff", *files, "--method", "forward"]) == 2
    assert "add --text" in capsys.readouterr().err
    assert cli.main(["diff", *files, "--method", "forward", "--text"]) == 0


def test_signs_are_colored_on_a_terminal_only(files: list[str], capsys, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    cli.main(["diff", *files])
    assert "\x1b[32m+\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    cli.main(["diff", *files])
    assert "\x1b" not in capsys.readouterr().out


def test_only_signs_are_colored() -> None:
    assert colored("  + 3 added\n  a+1 b\n+2 −1  x") == (
        "  \x1b[32m+\x1b[0m 3 added\n  a+1 b\n\x1b[32m+2\x1b[0m \x1b[31m−1\x1b[0m  x"
    )


def test_hostile_files_print_no_control_character(tmp_path: Path, capsys) -> None:
    files = [str(one.save(tmp_path / f"{at}.exirviz")) for at, one in enumerate((hostile(), sample()))]
    for form in ([], ["--markdown"], ["--text"]):
        cli.main(["diff", *files, *form])
        assert all(char.isprintable() or char in "\n\u200b" for char in capsys.readouterr().out)


def test_more_than_two_files_are_compared_on_a_page(files: list[str], tmp_path: Path, capsys) -> None:
    three, page = [*files, files[0]], tmp_path / "page.html"
    assert cli.main(["diff", *three, "--html", str(page), "--check"]) == 1
    assert str(page) in capsys.readouterr().out
    text = page.read_text(encoding="utf-8")
    assert all(f'id="exirviz-{each}"' in text for each in ("column-2", "diff-0-1", "diff-1-2"))
    assert "exirviz-diff-0-2" not in text
    assert cli.main(["diff", *([files[0]] * 3), "--html", str(page), "--check"]) == 0
    for form in ([], ["--json"], ["--markdown"], ["--text"]):
        assert cli.main(["diff", *three, *form]) == 2
        assert "add --html" in capsys.readouterr().err


def test_two_archives_are_enough_and_torch_is_not_imported(tmp_path: Path) -> None:
    a, b = (programs.archive("buffer_mutation", level) for level in ("aten", "core"))
    script = (
        "import sys\nfrom exir_viz.cli import main\ncode = main(sys.argv[1:])\n"
        "names = 'torch', 'pandas', 'executorch', 'sympy', 'numpy'\n"
        "heavy = [name for name in names if name in sys.modules]\n"
        "sys.exit(f'imported {heavy}' if heavy else code)"
    )
    page = tmp_path / "page.html"
    for form in ([], ["--text"], ["--markdown"], ["--json"], ["--html", str(page)]):
        done = subprocess.run(
            [sys.executable, "-c", script, "diff", str(a), str(b), "--check", *form],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (1, "")
        assert str(page) in done.stdout if "--html" in form else "batch_norm" in done.stdout


def test_a_missing_file_is_said(files: list[str], capsys) -> None:
    assert cli.main(["diff", files[0], "nowhere.pt2"]) == 2
    assert "nowhere.pt2" in capsys.readouterr().err


def test_a_page_is_never_written_over_what_is_read(files: list[str], tmp_path: Path, capsys) -> None:
    before = Path(files[0]).read_bytes()
    for at, read in enumerate(files):
        page = tmp_path / f"page{at}.html"
        page.symlink_to(read)
        assert cli.main(["diff", *files, "--html", str(page)]) == 2
        assert "Will not overwrite" in capsys.readouterr().err
    assert Path(files[0]).read_bytes() == before


def test_what_carries_no_checksum_is_said_in_every_form(tmp_path: Path, capsys) -> None:
    file, page = str(sample().save(tmp_path / "sample.exirviz")), tmp_path / "page.html"
    for form in ([], ["--text"], ["--markdown"], ["--json"], ["--html", str(page)]):
        assert cli.main(["diff", file, file, "--check", *form]) == 0
        assert "not compared: a and b carry no checksum" in capsys.readouterr().out
    cli.main(["diff", file, file, file, "--html", str(page)])
    told = [line for line in capsys.readouterr().out.splitlines() if "carry no checksum" in line]
    assert len(told) == 2 * 2  # weights and a delegate, of two pairs
    assert all(line.startswith("sample.exirviz (") for line in told)


def test_what_cannot_be_compared_is_not_a_difference(files: list[str], tmp_path: Path, capsys) -> None:
    """As of diff(1): 1 is a difference, 2 is trouble."""
    broken = tmp_path / "broken.pt2"
    broken.write_bytes(b"PK\x03\x04")
    assert cli.main(["diff", files[0], str(broken), "--check"]) == 2
    assert cli.main(["diff", *files, "--check"]) == 1
    assert cli.main(["show", str(broken)]) == 1
    assert "broken.pt2" in capsys.readouterr().err


def test_files_of_one_name_are_reported_by_their_paths(
    files: list[str], tmp_path: Path, capsys, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, file in zip(("old", "new"), files, strict=True):
        Path(folder).mkdir()
        Path(file).rename(Path(folder) / "a.exirviz")
    old, new = str(Path("old/a.exirviz")), str(Path("new/a.exirviz"))
    assert cli.main(["diff", old, new]) == 0
    assert capsys.readouterr().out.startswith(f"{old} (aten) → {new} (aten)\n")
