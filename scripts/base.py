"""Check the base install: what exir_viz does where no extra is installed: no torch, no pandas, no JupyterLab.

    python scripts/base.py                                   build the wheel, install it and check that
    python scripts/base.py exir_viz-0.1.0-py3-none-any.whl   install it into a clean environment, check that
    python scripts/base.py --check                           check the environment of this Python

pip of this Python installs the wheel, and `--python` says for which Python. This imports the standard
library only, so that this runs on any system.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

MEGABYTE = 1_000_000
MOST = 60 * MEGABYTE
ABSENT = (
    *("torch", "executorch", "torchao", "sympy", "numpy", "pandas", "pyarrow", "plotly"),
    *("anywidget", "ipywidgets", "IPython", "jupyterlab", "notebook"),
)
ROOT = Path(__file__).resolve().parents[1]
FILES = ROOT / "tests" / "packaging" / "files"
SMALL, CORE, PTE = (FILES / name for name in ("small.pt2", "small.core.pt2", "small.pte"))
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


class Failed(Exception):
    """What does not hold, in words."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", nargs="?", type=Path)
    parser.add_argument("--python", default=sys.executable, help="for which Python (default: this one)")
    parser.add_argument("--find-links", type=Path, help="install from this folder alone, without the network")
    parser.add_argument("--check", action="store_true", help="check the environment of this Python")
    given = parser.parse_args()
    if given.check:
        check()
    else:
        with tempfile.TemporaryDirectory() as folder:
            wheel = build(Path(folder)) if given.wheel is None else given.wheel.resolve()
            install(wheel, Path(folder) / "venv", given.python, given.find_links)


def build(folder: Path) -> Path:
    """The wheel of this checkout. pip brings what builds it, Node too where there is none."""
    _run(*PIP, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, prefix: Path, python: str, find_links: Path | None) -> None:
    """Make an environment, install the wheel and what it requires, and check it with its own Python."""
    _run(python, "-m", "venv", "--without-pip", str(prefix))
    there = prefix / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    empty = _size(prefix)
    links = [] if find_links is None else ["--no-index", "--find-links", str(find_links)]
    _run(*PIP, "--python", str(there), "install", "--quiet", *links, str(wheel))
    size = _size(prefix) - empty
    print(f"Installed: {size / MEGABYTE:.1f} MB with all it requires")
    if size > MOST:
        raise Failed(f"The base install takes {size / MEGABYTE:.1f} MB: {MOST / MEGABYTE:.0f} is the most.")
    # Elsewhere than in a checkout, where `import exir_viz` would find the sources.
    with tempfile.TemporaryDirectory() as elsewhere:
        print(_run(str(there), "-P", str(Path(__file__).resolve()), "--check", cwd=elsewhere), end="")


def check() -> None:
    """Do everything that the base does, and print what was done."""
    for part in (nothing_else, files, pages, notebook, tables, commands, errors, imports):
        part()
        print(f"{part.__name__.replace('_', ' ').capitalize()}: as expected", flush=True)


def nothing_else() -> None:
    """None of the packages of extras is installed."""
    there = [name for name in ABSENT if importlib.util.find_spec(name) is not None]
    _expect(not there, f"Installed, and of an extra: {', '.join(there)}")


def files() -> None:
    """Files are read and compared."""
    import exir_viz

    small, core, pte = (exir_viz.load(path) for path in (SMALL, CORE, PTE))
    _expect("aten.linear.default" in small.text(), "The text of a .pt2 lacks an op")
    _expect("aten.addmm.out" in pte.text(), "The text of a .pte lacks an op")
    diff = exir_viz.diff(small, core)
    _expect("aten.linear became aten.permute + aten.addmm" in str(diff), f"The diff says: {diff}")
    _expect(exir_viz.diff(SMALL, SMALL).is_empty, "A file differs from itself")


def pages() -> None:
    """Pages, and files that are opened again, are written."""
    import exir_viz

    with tempfile.TemporaryDirectory() as folder:
        small = exir_viz.load(SMALL)
        again = small.save(Path(folder, "small.exirviz"))
        _expect(exir_viz.load(again) == small, "What was saved is not what is loaded")
        page = small.to_html(Path(folder, "small.html")).read_text(encoding="utf-8")
        both = exir_viz.diff(SMALL, CORE).to_html(Path(folder, "diff.html")).read_text(encoding="utf-8")
    _expect("exirviz-program" in page, "The page carries no program")
    _expect("exirviz-diff-0-1" in both, "The page of a diff carries no diff")


def notebook() -> None:
    """A notebook shows a frame; for what only the widget can do it names the extra."""
    import exir_viz

    shown = exir_viz.explore(SMALL)
    _expect("<iframe" in shown._repr_html_(), "explore() shows no frame")
    _raises(lambda: shown.select("linear"), "explorer.select", "notebook")


def tables() -> None:
    """Tables are made without pandas, and a frame names its extra."""
    import exir_viz
    from exir_viz import tables as made

    small = exir_viz.load(SMALL)
    ops = {row["target"]: row["count"] for row in made.records(small, "ops")}
    _expect(ops == {"aten.linear.default": 1, "aten.relu.default": 1, "aten.add.Tensor": 1}, f"Ops: {ops}")
    _expect(made.table(small, "nodes").csv().count("\n") == 8, "The table of nodes has not 7 rows")
    _raises(lambda: made.nodes(small), "tables.nodes()", "pandas")


def commands() -> None:
    """The command, its script and `python -m exir_viz` do the same."""
    from exir_viz import cli

    for words in (
        ["show", str(SMALL)],
        ["info", str(PTE)],
        ["tables", str(SMALL), "nodes", "--format", "markdown"],
        ["diff", str(SMALL), str(CORE)],
        ["dot", str(SMALL)],
    ):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = cli.main(words)
        _expect(code == 0 and len(printed.getvalue()) > 100, f"exir-viz {words[0]}: {code}")
    script = Path(sys.prefix, "Scripts/exir-viz.exe" if os.name == "nt" else "bin/exir-viz")
    said = [
        _run(*start, "show", str(SMALL)) for start in ((str(script),), (sys.executable, "-m", "exir_viz"))
    ]
    _expect(said[0] == said[1] and "aten.linear" in said[0], "python -m exir_viz does not what exir-viz does")


def errors() -> None:
    """A verb that needs an extra names the command that installs it."""
    import exir_viz

    _raises(lambda: exir_viz.load(object()), "load() of a live program", "torch")
    _raises(lambda: exir_viz.explore(object()), "explore() of a live program", "torch")
    _raises(lambda: exir_viz.profile(object()), "profile()", "torch")
    _raises(lambda: exir_viz.Session(object()), "Session()", "torch")


def imports() -> None:
    """All of that imported nothing of an extra."""
    loaded = [name for name in ABSENT if name in sys.modules]
    _expect(not loaded, f"Imported: {', '.join(loaded)}")


def _raises(call: Callable[[], object], verb: str, extra: str) -> None:
    from exir_viz.errors import MissingExtra

    try:
        call()
    except MissingExtra as error:
        command = f'Run: pip install "exir-viz[{extra}]"'
        right = str(error).startswith(f"{verb} needs ") and str(error).endswith(command)
        _expect(right, f"{verb} says: {error}")
    else:
        raise Failed(f"{verb} did not raise MissingExtra")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Failed(otherwise)


def _size(folder: Path) -> int:
    """Bytes of the files in a folder; links count nothing."""
    return sum(path.stat().st_size for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _run(*command: str, cwd: str | None = None) -> str:
    """What a command printed on stdout; it is shown, and the failure is raised, where it fails."""
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    environment = {**bare, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise Failed(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"Failed: {failed}")
