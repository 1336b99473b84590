"""A verb whose packages are not installed says so, and names the pip command that installs them.

The packages are hidden from a process of its own, as if they were not installed: once all of them, and once
all but torch, for the verbs that begin with a live program.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from exir_viz import extras
from exir_viz.tables import NAMES
from tests.snapshot.sample import sample

ROOT = Path(__file__).resolve().parents[1]
OTHERS = ("executorch", "torchao", "pandas", "pyarrow", "plotly", "anywidget", "ipywidgets", "jupyterlab")

# Hides packages, then does each thing in turn and prints what it raised: {code: [class, verb, extra, text]}.
SCRIPT = """
import json, sys
hidden, setup, codes = json.load(sys.stdin)

class Hiding:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, path, target)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = map(Hiding, sys.meta_path)
names = {}
exec(setup, names)
raised = {}
for code in codes:
    try:
        exec(code, names)
    except Exception as error:
        known = [getattr(error, name, "") for name in ("verb", "extra", "command")]
        raised[code] = [type(error).__name__, *known, str(error)]
print(json.dumps(raised))
"""

# What is done → the verb that is named, the extra that it needs.
WITHOUT_TORCH = {
    "exir_viz.load(object())": ("load() of a live program", "torch"),
    "exir_viz.explore(object())": ("explore() of a live program", "torch"),
    "exir_viz.diff(object(), object())": ("diff() of a live program", "torch"),
    "exir_viz.profile(object())": ("profile()", "torch"),
    "exir_viz.explain('aten.add.Tensor')": ("explain()", "torch"),
    "exir_viz.load('model.pt2', trust=True)": ("load(trust=True)", "torch"),
    "exir_viz.Session(object())": ("Session()", "torch"),
    "from exir_viz.measure.sweeps import sweep": ("measure.sweep()", "torch"),
}
WITH_TORCH = {
    "session.edge()": ("The step 'To edge'", "executorch"),
    "session.backend()": ("The step 'To a backend'", "executorch"),
    "session.quantize()": ("The step 'Quantize'", "executorch"),
    "exir_viz.profile(program, executor='executorch')": ("profile(executor='executorch')", "executorch"),
    "exir_viz.explain('aten.add.Tensor', executorch=True)": ("explain(executorch=True)", "executorch"),
    "figures.bars(profile)": ("figures.bars()", "charts"),
    "figures.roofline(profile)": ("figures.roofline()", "charts"),
    "figures.modules(profile)": ("figures.modules()", "charts"),
    "figures.memory(profile)": ("figures.memory()", "charts"),
    "figures.arenas(profile)": ("figures.arenas()", "charts"),
    "figures.stages([profile])": ("figures.stages()", "charts"),
    "exir_viz.types.Explorer": ("exir_viz.types.Explorer", "notebook"),
    "exir_viz.types.Story": ("exir_viz.types.Story", "notebook"),
    "exir_viz.explore(session).select('add')": ("explorer.select", "notebook"),
    "exir_viz.explore(session.root.snapshot).paint({})": ("explorer.paint", "notebook"),
    "diff.explore().values": ("explorer.values", "notebook"),
    **{f"tables.{name}(snapshot)": (f"tables.{name}()", "pandas") for name in NAMES},
    "tables.stages(session.record())": ("tables.stages()", "pandas"),
    "tables.decompositions(session.root.ops())": ("tables.decompositions()", "pandas"),
    "diff.frame": ("tables.matches()", "pandas"),
    "profile.frame": ("profile.frame", "pandas"),
    "profile.rollup('module')": ("profile.rollup()", "pandas"),
    "profile.memory": ("profile.memory", "pandas"),
    "profile.arenas": ("profile.arenas", "pandas"),
    "profile.at(session.root).frame": ("profile.at(stage).frame", "pandas"),
    "profile.to_parquet('never')": ("profile.to_parquet()", "parquet"),
    "Sweep([]).frame": ("sweep.frame", "pandas"),
    "Sweep([]).nodes": ("sweep.nodes", "pandas"),
}
PROGRAM = """
import torch
import exir_viz

class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1

program = torch.export.export(Model(), (torch.ones(2),))
"""
SETUP_WITH_TORCH = f"""{PROGRAM}
import json
from exir_viz import figures, tables
from exir_viz.measure.sweeps import Sweep
from exir_viz.stages.available_steps import available_steps

session = exir_viz.Session(program)
snapshot = session.root.snapshot
profile = exir_viz.profile(session.root, repeats=1, warmup=1)
diff = exir_viz.diff(session.root, session.decompose())
"""
# Raises the reasons why steps cannot be done, as JSON.
REASONS = "raise ValueError(json.dumps([[one.kind, one.reason] for one in available_steps(session.root)]))"
# Raises whether two programs agree that no step of ExecuTorch made.
AGREE = "raise ValueError(exir_viz.diff(program, program.run_decompositions()).values().agree)"


def raised(hidden: tuple[str, ...], setup: str, codes: list[str]) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([hidden, setup, codes]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def without_torch() -> dict[str, list[str]]:
    return raised(("torch", "sympy", *OTHERS), "import exir_viz", list(WITHOUT_TORCH))


@pytest.fixture(scope="module")
def with_torch() -> dict[str, list[str]]:
    return raised(OTHERS, SETUP_WITH_TORCH, [*WITH_TORCH, REASONS, AGREE])


def check(found: list[str] | None, verb: str, extra: str) -> None:
    command = f'pip install "exir-viz[{extra}]"'
    assert found is not None
    assert found[:4] == ["MissingExtra", verb, extra, command]
    assert found[4].startswith(f"{verb} needs ")
    assert found[4].endswith(f"not installed. Run: {command}")


@pytest.mark.parametrize("code", WITHOUT_TORCH)
def test_without_torch(code: str, without_torch: dict[str, list[str]]) -> None:
    check(without_torch.get(code), *WITHOUT_TORCH[code])


@pytest.mark.parametrize("code", WITH_TORCH)
def test_with_torch_alone(code: str, with_torch: dict[str, list[str]]) -> None:
    check(with_torch.get(code), *WITH_TORCH[code])


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (["lower", "FILE", "--to", "edge", "-o", "OUT.pt2", "--trust"], "executorch"),
        (["profile", "FILE", "--trust"], "torch"),
    ],
)
def test_a_command_names_its_extra(arguments: list[str], extra: str, tmp_path: Path) -> None:
    file = tmp_path / "model.pt2"
    file.write_bytes(b"PK\x05\x06" + bytes(18))  # an empty archive: nothing of it is read before
    words = [str(file) if one == "FILE" else one.replace("OUT", str(tmp_path / "out")) for one in arguments]
    code = f"raise SystemExit(cli.main({words!r}))"
    hiding = SCRIPT.replace("except Exception", "except (Exception, SystemExit)")
    done = subprocess.run(
        [sys.executable, "-c", hiding],
        input=json.dumps([("torch", *OTHERS), "from exir_viz import cli", [code]]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout.splitlines()[-1])[code][-1] == "1"
    assert done.stderr.startswith(f"exir-viz: exir-viz {arguments[0]} needs torch")
    assert done.stderr.endswith(f'pip install "exir-viz[{extra}]"\n')


def test_values_are_compared_without_executorch(with_torch: dict[str, list[str]]) -> None:
    assert with_torch[AGREE][0] == "ValueError", with_torch[AGREE]
    assert with_torch[AGREE][-1] == "True"


def test_a_step_that_cannot_be_done_is_offered_with_the_command(with_torch: dict[str, list[str]]) -> None:
    reasons = dict(json.loads(with_torch[REASONS][4]))
    assert reasons["decompose"] == ""
    command = 'pip install "exir-viz[executorch]"'
    assert reasons["edge"] == f"it needs executorch, which is not installed. Run: {command}"


def test_explain_needs_yaml_too_and_capture_does_not() -> None:
    codes = ["exir_viz.explain('aten.add.Tensor')", "exir_viz.load(program)"]
    found = raised((*OTHERS, "yaml"), PROGRAM, codes)
    assert list(found) == codes[:1]
    assert found[codes[0]][4] == (
        'explain() needs yaml, which is not installed. Run: pip install "exir-viz[torch]"'
    )


def test_a_folder_of_the_name_is_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "somewhat").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(extras, "EXTRAS", {"one": ("somewhat", "json")})
    assert extras.missing("one") == ("somewhat",)
    (tmp_path / "somewhat" / "__init__.py").touch()
    assert extras.missing("one") == ()


def test_every_extra_is_one_of_pyproject_with_its_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = project["optional-dependencies"]
    for extra, packages in extras.EXTRAS.items():
        listed = [*named[extra], *(named["torch"] if "exir-viz[torch]" in named[extra] else [])]
        installed = {re.split(r"[\[>=]", one)[0] for one in listed}
        assert {name.partition(".")[0] for name in packages} <= installed


def test_reading_needs_no_extra(tmp_path: Path) -> None:
    path = sample().save(tmp_path / "sample.exirviz")
    code = f"s = exir_viz.load({str(path)!r}); str(s); s.text(); str(exir_viz.diff(s, s))"
    assert raised(("torch", "sympy", *OTHERS), "import exir_viz", [code]) == {}
