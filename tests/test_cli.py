"""The `exir-viz` command: what it prints, how it fails, and that it needs no torch."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from exir_viz import Session, __version__, cli, tables
from tests.snapshot.sample import chain, hostile, sample

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return sample().save(tmp_path / "sample.exirviz")


def _run(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "exir_viz.cli", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False, **options,
    )  # fmt: skip


def test_show_prints_summary_and_text(file: Path, capsys) -> None:
    assert cli.main(["show", str(file)]) == 0
    out = capsys.readouterr()
    assert out.out == f"{sample()}\n\n{sample().text()}\n"
    assert out.err == ""


def test_show_summary_and_forms(file: Path, capsys) -> None:
    assert cli.main(["show", str(file), "--summary"]) == 0
    assert capsys.readouterr().out == f"{sample()}\n"
    assert cli.main(["show", str(file), "--form", "fx", "--method", "forward"]) == 0
    assert capsys.readouterr().out.endswith(sample().text("fx") + "\n")


def test_info_of_a_session_lists_its_stages(tmp_path: Path, capsys) -> None:
    session = Session(sample(), name="given")
    assert cli.main(["info", str(session.save(tmp_path / "session.exirviz"))]) == 0
    said = re.sub(" +", " ", capsys.readouterr().out)
    assert "stages given\nshown stage given\n" in said


def test_info(file: Path, capsys) -> None:
    assert cli.main(["info", str(file)]) == 0
    out = capsys.readouterr().out
    assert "torch            2.13.0" in out
    assert "19 nodes in 3 graphs, 8 ops, 1 symbol" in out
    assert "notice source    A source file was not there. (×2)" in out


@pytest.mark.parametrize("name", tables.NAMES)
def test_tables_as_csv_and_json(name: str, file: Path, capsys) -> None:
    import pandas as pd

    frame = getattr(tables, name)(sample())
    assert cli.main(["tables", str(file), name]) == 0
    again = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert list(again.columns) == list(frame.columns)
    assert len(again) == len(frame)
    assert cli.main(["tables", str(file), name, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [list(row) for row in rows] == [list(frame.columns)] * len(frame)


def test_tables_as_markdown_and_parquet(file: Path, tmp_path: Path, capsys) -> None:
    import pandas as pd

    assert cli.main(["tables", str(file), "ops", "--format", "markdown"]) == 0
    assert capsys.readouterr().out.split("\n")[:3] == [
        "| method | graph | target | kind | count | schema |",
        "| --- | --- | --- | --- | --- | --- |",
        "| forward | forward | aten.add.Tensor | pointwise | 2 | aten::add\\(...\\) |",
    ]
    output = tmp_path / "nodes.parquet"
    assert cli.main(["tables", str(file), "nodes", "--format", "parquet", "-o", str(output)]) == 0
    pd.testing.assert_frame_equal(pd.read_parquet(output), tables.nodes(sample()))


def test_markdown_of_a_hostile_program_stays_a_table(tmp_path: Path, capsys) -> None:
    path = hostile().save(tmp_path / "hostile.exirviz")
    assert cli.main(["tables", str(path), "nodes", "--format", "markdown"]) == 0
    out = capsys.readouterr().out
    columns = len(tables.nodes(hostile()).columns)
    assert all(line.replace("\\|", "").count("|") == columns + 1 for line in out.strip().split("\n"))
    assert not re.search(r"(?<!\\)<", out)


def test_convert_makes_the_same_snapshot(file: Path, tmp_path: Path, capsys) -> None:
    output = tmp_path / "again.exirviz"
    assert cli.main(["convert", str(file), "-o", str(output)]) == 0
    assert output.read_bytes() == file.read_bytes()
    assert f"{file.stat().st_size:,} bytes" in capsys.readouterr().out


def test_dot_prints_or_writes(file: Path, tmp_path: Path, capsys) -> None:
    assert cli.main(["dot", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("digraph")
    output = tmp_path / "near.dot"
    assert cli.main(["dot", str(file), "--node", "linear", "--steps", "1", "-o", str(output)]) == 0
    assert 0 < output.stat().st_size < len(out)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "absent.pt2"], "absent.pt2"),
        (["show", "FILE", "--method", "x"], "Unknown method 'x'. Methods: forward."),
        (["dot", "FILE", "--scope", "x"], "Unknown module 'x' in method 'forward'"),
        (["dot", "FILE", "--node", "nope"], "Unknown node 'nope' in method 'forward'"),
        (["dot", "FILE", "-o", "x.gif"], "its name must end with .svg, .pdf, .png or .dot"),
        (["tables", "FILE", "nodes", "--format", "parquet"], "Name a file to write"),
    ],
)
def test_what_cannot_be_done_is_said_without_a_traceback(
    arguments: list[str], says: str, file: Path, capsys
) -> None:
    assert cli.main([str(file) if one == "FILE" else one for one in arguments]) == 1
    err = capsys.readouterr().err
    assert err.startswith("exir-viz: ")
    assert says in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "FILE", "--summary", "--method", "forward"], "--summary is of all methods"),
        (["dot", "FILE", "--steps", "3"], "--steps only works with --node"),
    ],
)
def test_an_option_without_effect_is_refused(arguments: list[str], says: str, file: Path, capsys) -> None:
    assert cli.main([str(file) if one == "FILE" else one for one in arguments]) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--steps", "--max-nodes"])
@pytest.mark.parametrize("value", ["0", "-1", "x"])
def test_counts_of_a_picture_are_at_least_one(option: str, value: str, file: Path, capsys) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["dot", str(file), "--node", "linear", f"{option}={value}"])
    assert ended.value.code == 2
    assert f"expected a whole number from 1 on, not {value!r}" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["profile"], ["lower", "--to", "edge", "-o", "out.exirviz"]])
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "it is empty"),
        (b"PK", "it ends after 2 bytes"),
        (b"other", "which no supported file does"),
    ],
)
def test_a_file_that_cannot_be_run_is_described(
    command: list[str], data: bytes, says: str, tmp_path: Path, capsys
) -> None:
    """As for the commands that only read it, and before it is trusted."""
    path = tmp_path / "model.pt2"
    path.write_bytes(data)
    assert cli.main(["show", str(path)]) == 1
    expected = capsys.readouterr().err
    assert says in expected
    name, *options = command
    assert cli.main([name, str(path), *options]) == 1
    assert capsys.readouterr().err == expected


def test_a_broken_file_is_an_error_of_one_line(file: Path, capsys) -> None:
    file.write_bytes(file.read_bytes()[:-20])
    assert cli.main(["info", str(file)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_parquet_without_pyarrow_names_the_pip_line(file: Path, tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert (
        cli.main(["tables", str(file), "ops", "--format", "parquet", "-o", str(tmp_path / "x.parquet")]) == 1
    )
    assert 'pip install "exir-viz[parquet]"' in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [[], ["draw"], ["show"], ["tables", "x.pt2", "colours"], ["convert", "x.pt2"]]
)
def test_wrong_usage_is_two(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2


def test_interrupted_is_130(file: Path, monkeypatch) -> None:
    def interrupt(path: object, whole: bool) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("exir_viz.cli.terminal.read", interrupt)
    assert cli.main(["info", str(file)]) == 130


def test_version_and_help(capsys) -> None:
    for arguments, says in (
        (["--version"], f"exir-viz {__version__}"),
        (["--help"], "examples:\n  exir-viz show"),
    ):
        with pytest.raises(SystemExit) as ended:
            cli.main(arguments)
        assert ended.value.code == 0
        assert says in capsys.readouterr().out


def test_the_page_on_the_command_has_its_examples_and_its_commands() -> None:
    page = (Path(__file__).parents[1] / "docs" / "cli.md").read_text("utf-8")
    assert cli._EXAMPLES in page
    (commands,) = (one for one in cli._parser()._actions if one.choices)
    words = " ".join(page.split())
    for command in commands._choices_actions:  # type: ignore[attr-defined]
        assert f"{command.dest} {command.help}" in words


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    path = chain(3000).save(tmp_path / "chain.exirviz")
    command = f"set -o pipefail; {sys.executable} -m exir_viz.cli show {path} | head -2"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_piped_output_is_plain_even_of_a_hostile_program(tmp_path: Path) -> None:
    done = _run("show", hostile().save(tmp_path / "hostile.exirviz"))
    assert done.returncode == 0
    assert all(char.isprintable() or char == "\n" for char in done.stdout)
    assert done.stderr == ""


full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is full")


@full
@pytest.mark.parametrize(
    "arguments", [["show", "FILE"], ["diff", "FILE", "FILE", "--text"], ["check", "FILE"]]
)
def test_a_full_disk_is_said_of_standard_output(arguments: list[str], file: Path) -> None:
    given = [str(file) if one == "FILE" else one for one in arguments]
    with Path("/dev/full").open("w") as output:
        done = subprocess.run(
            [sys.executable, "-m", "exir_viz.cli", *given],
            cwd=ROOT, stdout=output, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.stderr == "exir-viz: No space left on device: standard output\n"
    assert done.returncode == (1 if given[0] == "show" else 2)


@full
def test_a_full_disk_is_said_of_the_file(file: Path, capsys) -> None:
    assert cli.main(["tables", str(file), "nodes", "-o", "/dev/full"]) == 1
    assert "Cannot write '/dev/full': the system says 'No space left on device'" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file that fails to be read")
@pytest.mark.parametrize("command", [["show"], ["diff", "FILE"], ["lower", "--to", "edge", "-o", "x.pt2"]])
def test_a_file_that_fails_to_be_read_is_named(command: list[str], file: Path, capsys) -> None:
    name, *options = [str(file) if one == "FILE" else one for one in command]
    assert cli.main([name, "/proc/self/mem", *options]) > 0
    assert capsys.readouterr().err == "exir-viz: Input/output error: /proc/self/mem\n"


def test_another_encoding_is_no_error(file: Path) -> None:
    done = _run("show", file, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")


def test_progress_is_for_terminals_and_leaves_no_trace(file: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert cli.main(["info", str(file)]) == 0
    assert capsys.readouterr().err == "\rReading sample.exirviz …\x1b[K\r\x1b[K"


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "FILE"],
        ["info", "FILE"],
        ["dot", "FILE"],
        ["tables", "FILE", "nodes"],
        ["tables", "FILE", "ops", "--format", "json"],
        ["tables", "FILE", "ops", "--format", "markdown"],
    ],
)
def test_needs_no_torch_and_no_pandas(arguments: list[str], file: Path) -> None:
    script = (
        "import sys\nfrom exir_viz.cli import main\ncode = main(sys.argv[1:])\n"
        "sys.exit(code or [name for name in ('torch', 'pandas', 'executorch') if name in sys.modules] or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *(str(file) if one == "FILE" else one for one in arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_dot_program_absent_is_said_with_the_way_to_install_it(file: Path, tmp_path: Path) -> None:
    done = _run("dot", file, "-o", tmp_path / "x.svg", env={**os.environ, "PATH": str(tmp_path)})
    assert done.returncode == 1
    assert "apt install graphviz" in done.stderr
    assert shutil.which("dot") is None or cli.main(["dot", str(file), "-o", str(tmp_path / "x.svg")]) == 0


def test_a_program_is_not_written_over(tmp_path: Path, capsys) -> None:
    source = sample().save(tmp_path / "sample.exirviz")
    other = tmp_path / "model.pt2"
    other.write_bytes(b"PK\x03\x04 a program of someone")
    renamed = shutil.copy(other, tmp_path / "model.exirviz")
    for command in (
        ["convert", str(source), "-o", str(renamed)],
        ["convert", str(source), "-o", str(source)],
        ["tables", str(source), "ops", "-o", str(other)],
        ["dot", str(source), "-o", str(source)],
    ):
        assert cli.main(command) == 1
        assert "Will not overwrite" in capsys.readouterr().err
    assert other.read_bytes().startswith(b"PK\x03\x04 a program")
    again = tmp_path / "again.exirviz"
    assert [cli.main(["convert", str(source), "-o", str(again)]) for _ in range(2)] == [0, 0]


def test_the_package_runs_as_the_command(file: Path) -> None:
    ways = (["-m", "exir_viz"], ["-m", "exir_viz.cli"])
    said = [
        subprocess.run([sys.executable, *way, "info", str(file)], cwd=ROOT, capture_output=True, check=False)
        for way in ways
    ]
    assert [one.returncode for one in said] == [0, 0]
    assert said[0].stdout == said[1].stdout != b""
    wrong = subprocess.run(
        [sys.executable, "-m", "exir_viz", "draw"], cwd=ROOT, capture_output=True, check=False
    )
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(b"usage: exir-viz ")


def test_the_help_of_a_command_keeps_its_names(capsys) -> None:
    with pytest.raises(SystemExit):
        cli.main(["lower", "--help"])
    printed = capsys.readouterr().out
    assert "Lower a trusted .pt2 with torch and ExecuTorch." in printed
    assert "FILE a .pt2 file" in " ".join(printed.split())
