"""Each feature that uses private parts of torch or ExecuTorch: it is available, and can be done without.

The first half names what has changed in the installed torch or ExecuTorch. The second takes the private parts
of one feature away, and holds that what the user called still works, without the feature and with a notice.
"""

from __future__ import annotations

import copy
import functools
import importlib
import importlib.util
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any, cast

import pytest
import torch
from torch.export import Dim, export

import exir_viz
from exir_viz import Session
from exir_viz.errors import ExirVizError, MeasureError, UnsupportedTorch
from exir_viz.snapshot.program import Notice
from exir_viz.torch_internals import features as guard
from exir_viz.torch_internals.features import Feature, FeatureUnavailable, features
from tests.corpus.programs import exported
from tests.nightly import some
from tests.stages.failing import failing

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path(exir_viz.__file__).parent
FEATURES = {feature.name: feature for feature in features()}


class Small(torch.nn.Module):
    """A composite operator, one in Core ATen's table, one outside of it, and one that writes in place."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.nn.functional.hardswish(self.linear(x))
        return torch.bucketize(y.reshape(-1), torch.arange(3.0)).add_(1)


class Core(torch.nn.Module):
    """What every step takes."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + 1)


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    return export(Small(), (torch.randn(3, 4),), dynamic_shapes=({0: Dim("batch", min=2, max=9)},))


@pytest.fixture(scope="module")
def core() -> torch.export.ExportedProgram:
    return export(Core(), (torch.randn(3, 4),))


@pytest.fixture(scope="module")
def edge(core: torch.export.ExportedProgram) -> Any:
    from executorch.exir import to_edge

    return to_edge(core, constant_methods={"version": 3})


@pytest.fixture(scope="module")
def lowered(edge: Any) -> Any:
    """What the runtime runs; `to_executorch` changes the manager that it is called on."""
    return copy.deepcopy(edge).to_executorch()


@pytest.fixture(autouse=True)
def looked_up_anew() -> Iterator[None]:
    guard.forget()
    yield
    guard.forget()


# -- what is there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES)
def test_every_private_name_is_there(feature: Feature, samples: dict[str, Any]) -> None:
    reasons = [reason for use in feature.uses if (reason := guard.missing(use))]
    for attribute in feature.attributes:
        holder, _, name = attribute.rpartition(".")
        if not hasattr(samples.get(holder), name) and (reason := guard.missing(attribute)):
            reasons.append(reason)
    assert reasons == [], f"{feature.name}: {feature.without}"
    assert feature.available() is None


@pytest.fixture(scope="module")
def samples(program: torch.export.ExportedProgram, edge: Any, lowered: Any) -> dict[str, Any]:
    """Objects of classes whose private attributes are not in the class itself."""
    value = next(node.meta["val"] for node in program.graph.nodes if node.name == "x")
    operator = next(node.target for node in edge.exported_program().graph.nodes if node.op == "call_function")
    return {
        "torch.export.ExportedProgram": program,
        "torch.fx.GraphModule": program.graph_module,
        "torch.fx.experimental.symbolic_shapes.ShapeEnv": value.shape[0].node.shape_env,
        "torch._subclasses.FakeTensorMode": value.fake_mode,
        "executorch.exir.EdgeProgramManager": edge,
        "executorch.exir.ExecutorchProgramManager": lowered,
        "executorch.exir.dialects.edge._ops.EdgeOpOverload": operator,
    }


@pytest.mark.parametrize("feature", FEATURES.values(), ids=FEATURES)
def test_every_feature_says_what_it_is_for(feature: Feature) -> None:
    assert feature.uses or feature.attributes
    assert feature.purpose[0].isupper()
    assert not feature.purpose.endswith(".")
    assert feature.without.endswith(".")
    assert feature.versions


def test_the_documentation_lists_every_feature() -> None:
    text = (ROOT / "docs/dev/compatibility.md").read_text("utf-8")
    part = text.partition("## Private parts of torch that exir_viz uses")[2].partition("\n## ")[0]
    rows = [line.split("|") for line in part.splitlines() if line.startswith("| `")]
    found = {row[1].strip(): (row[2].strip(), row[3].strip()) for row in rows}
    wanted = {f"`{name}`": (one.purpose, one.without) for name, one in FEATURES.items()}
    assert found == wanted
    assert f"All of these are known to work with {guard.KNOWN}." in part
    assert {one.versions for one in FEATURES.values()} == {guard.KNOWN}, (
        "say in a row of its own what differs"
    )


# -- the guard --------------------------------------------------------------------------------------------


def given(a: object, b: object, *, c: object = None) -> None:
    del a, b, c


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        ("given(a, b)", None),
        ("given(a, b, *, c)", None),
        ("given", None),
        ("given(a)", "given takes other arguments"),
        ("given(a, b, *, d)", "given takes other arguments"),
        ("taken", "taken is absent"),
        ("given.name", "given.name is absent"),
    ],
)
def test_what_is_missing_is_named(use: str, reason: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    module = type(sys)("a_module_of_this_test")
    module.given = given  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    wanted = None if reason is None else f"{module.__name__}.{reason}"
    assert guard.missing(f"{module.__name__}.{use}") == wanted
    assert guard.missing("no_such_package.part") == "no_such_package.part is absent"


def test_a_notice_goes_to_whoever_collects_it_once() -> None:
    feature = Feature("gone", "Do it", "It is not done.", uses=("sys.no_such_thing",))
    notes: list[tuple[str, str]] = []
    with guard.collecting(lambda code, text: notes.append((code, text))):
        assert not feature.is_usable()
        assert feature.attribute(object(), "_gone", 3) == 3
        assert not feature.is_usable()
    said = f"It is not done. (sys.no_such_thing is absent; known: {guard.KNOWN})"
    assert notes[0] == (guard.CODE, said)
    assert [text.partition(" (")[2].partition(";")[0] for _, text in notes] == [
        "sys.no_such_thing is absent",
        "object._gone is absent",
    ]


def test_a_notice_is_a_warning_at_the_users_line() -> None:
    feature = Feature("gone", "Do it", "It is not done.", uses=("sys.no_such_thing",))
    with pytest.warns(FeatureUnavailable, match="It is not done") as caught:
        assert not feature.is_usable()
    assert caught[0].filename == __file__
    with pytest.raises(UnsupportedTorch, match=r"sys\.no_such_thing is absent"):
        feature.required()


def test_an_interrupt_leaves_modules_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    from exir_viz.torch_internals.process_state import undisturbed

    before = torch.nn.Module.__call__
    monkeypatch.setattr(torch.nn.Module, "__call__", before)  # puts it back where the code does not

    def trace(_interruption: object) -> None:
        torch.nn.Module.__call__ = lambda self, *args: None
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        undisturbed(trace)
    assert torch.nn.Module.__call__ is before


# -- without ----------------------------------------------------------------------------------------------


def take_away(feature: Feature, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the guard find no private name of a feature, and refuse exir_viz the functions that it guards."""
    names = {use.partition("(")[0] for use in (*feature.uses, *feature.attributes)}
    resolve = guard.resolve

    def without(path: str) -> Any:
        if path in names:
            raise AttributeError(path)
        return resolve(path)

    for path in {use.partition("(")[0] for use in feature.uses}:
        parent, _, name = path.rpartition(".")
        holder = None if parent.startswith("torch.ops.") else resolve(parent)
        found = None if holder is None else vars(holder).get(name) if hasattr(holder, "__dict__") else None
        # What is public may be called with other arguments. Functions in C stay: dynamo knows them by id().
        if isinstance(found, FunctionType) and name.startswith("_"):
            monkeypatch.setattr(holder, name, refusing(path, found))
    monkeypatch.setattr(guard, "resolve", without)
    attribute = Feature.attribute

    def absent(self: Feature, holder: Any, name: str, default: Any = None) -> Any:
        if self is not feature:
            return attribute(self, holder, name, default)
        self.left_out(f"{type(holder).__name__}.{name} is absent")
        return default

    monkeypatch.setattr(Feature, "attribute", absent)
    guard.forget()


def refusing(path: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that torch may call, and exir_viz may not."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        caller = Path(sys._getframe(1).f_code.co_filename)
        assert PACKAGE not in caller.parents, f"{path} is used although it is absent"
        return function(*args, **kwargs)

    return call


Said = list[str]


def warned(caught: pytest.WarningsRecorder) -> Said:
    return [str(one.message) for one in caught if issubclass(one.category, FeatureUnavailable)]


def texts(notices: tuple[Notice, ...]) -> Said:
    return [notice.text for notice in notices if notice.code == guard.CODE]


Scenario = Callable[[pytest.FixtureRequest], Said]
SCENARIOS: dict[str, Scenario] = {}


def scenario(*names: str) -> Callable[[Scenario], Scenario]:
    """What to do without these features: it returns what was said."""

    def register(function: Scenario) -> Scenario:
        SCENARIOS.update(dict.fromkeys(names, function))
        return function

    return register


@pytest.mark.parametrize("name", some(FEATURES, [*FEATURES][::4]))
def test_what_is_called_works_without(name: str, request: pytest.FixtureRequest) -> None:
    for fixture in ("program", "core", "edge", "lowered"):  # they are made with all of torch
        request.getfixturevalue(fixture)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        take_away(FEATURES[name], patch)
        warnings.simplefilter("ignore", FeatureUnavailable)  # other tests check these warnings
        said = SCENARIOS[name](request)
    assert any(text.startswith(FEATURES[name].without) for text in said), said


@scenario(
    "fake_tensors", "node_text", "opset_version", "program_guards", "shape_environments", "storage_identity"
)
def _capture(request: pytest.FixtureRequest) -> Said:
    snapshot = exir_viz.load(request.getfixturevalue("program"))
    assert "hardswish" in {node.name for node in snapshot.method.graph}
    return texts(snapshot.notices)


@scenario("operators")
def _capture_without_schemas(request: pytest.FixtureRequest) -> Said:
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(torch.ops.aten.hardswish.default, "_schema")
        snapshot = exir_viz.load(request.getfixturevalue("program"))
    (node,) = (node for node in snapshot.method.graph if node.name == "hardswish")
    assert (node.target.name, node.target.schema) == ("hardswish", "")
    return texts(snapshot.notices)


@scenario("guard_lines")
def _capture_of_dynamic_module(_request: pytest.FixtureRequest) -> Said:
    snapshot = exir_viz.load(Core(), torch.randn(3, 4), dynamic_shapes=({0: Dim.AUTO},))
    assert snapshot.method.detail.guard_lines == ()
    return texts(snapshot.notices)


@scenario("guard_callers")
def _capture_where_torch_fixes_a_size(_request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        snapshot = exir_viz.load(Small(), torch.randn(3, 4), dynamic_shapes=({1: Dim.AUTO},))
    text = Path(__file__).read_text().splitlines()
    assert not any("hardswish" in text[one.line - 1] for one in snapshot.method.detail.guard_lines)
    return warned(caught)


@scenario("full_stack_traces")
def _watch(_request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        found = exir_viz.load(Core(), torch.randn(3, 4), dynamic_shapes=({0: Dim.AUTO},), watch=True)
    assert found.detail.runs
    return warned(caught)


@scenario("draft_reports")
def _doctor(_request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        found = exir_viz.doctor(Core(), torch.randn(3, 4), draft=True)
    assert found.can_export
    return warned(caught)


class TwoBranches(torch.nn.Module):
    """Both of its branches depend on data."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1 if x.sum() > 0 else x - 1
        return y * 2 if y.sum() > 0 else y


@scenario("real_values")
def _doctor_without_real_values(_request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        found = exir_viz.doctor(TwoBranches(), torch.randn(3, 4))
    assert [one.modes for one in found] == [("non-strict", "strict"), ("strict",)]
    return warned(caught)


@scenario("graph_breaks")
def _doctor_without_graph_breaks(_request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        found = exir_viz.doctor(TwoBranches(), torch.randn(3, 4))
    assert [one.modes for one in found] == [("non-strict", "strict"), ("non-strict",)]
    return warned(caught)


@scenario("constant_methods")
def _capture_of_manager(request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        snapshot = exir_viz.load(request.getfixturevalue("edge"))
    assert list(snapshot.methods) == ["forward"]
    return warned(caught)


@scenario("training_methods")
def _capture_of_gradients(_request: pytest.FixtureRequest) -> Said:
    from executorch.exir import to_edge

    with pytest.warns(FeatureUnavailable) as caught:
        snapshot = exir_viz.load(to_edge(exported("joint_graph")).to_executorch())
    assert list(snapshot.methods) == ["forward"]
    return warned(caught)


@scenario("dynamic_shapes")
def _capture_of_module(_request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        snapshot = exir_viz.load(Core(), torch.randn(3, 4), dynamic_shapes=({0: Dim("batch")},))
    # The shape environment knows this name too.
    assert [symbol.dim for symbol in snapshot.method.symbols] == ["batch"]
    return warned(caught)


@scenario("load_logs")
def _open(request: pytest.FixtureRequest) -> Said:
    file = request.getfixturevalue("tmp_path") / "core.pt2"
    torch.export.save(request.getfixturevalue("core"), file)
    with pytest.warns(FeatureUnavailable) as caught:
        exir_viz.load(file, trust=True)
    return warned(caught)


@scenario("cpu_kernels")
def _profile_of_attention(_request: pytest.FixtureRequest) -> Said:
    class Attention(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.scaled_dot_product_attention(x, x, x) @ x.mT

    profile = exir_viz.profile(Attention(), torch.randn(1, 2, 3, 4), repeats=1)
    flops = {cost.node.name: cost.flops for cost in profile}
    assert flops["scaled_dot_product_attention"] is None
    assert flops["matmul"] == 2 * 2 * 3 * 4 * 3
    return [remark.text for remark in profile.remarks]


@scenario("pytrees")
def _import(_request: pytest.FixtureRequest) -> Said:
    spec = importlib.util.find_spec("exir_viz.torch_internals.pytrees")
    assert spec is not None
    assert spec.loader is not None
    with pytest.raises(UnsupportedTorch) as raised:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return [str(raised.value)]


@scenario("script_objects")
def _script_object(_request: pytest.FixtureRequest) -> Said:
    from exir_viz.torch_internals.operators import script_class

    with pytest.warns(FeatureUnavailable) as caught:
        assert script_class(cast("torch.ScriptObject", object())) is None
    return warned(caught)


# Steps of a session: what is said is among the notices of the stage.


@scenario(
    "log_capture",
    "process_state",
    "subprocess_output",
)
def _decompose(request: pytest.FixtureRequest) -> Said:
    session = Session(request.getfixturevalue("core"))
    stage = session.do(session.root, "decompose", listener=lambda _report: None)
    assert not stage.failed
    return texts(stage.content.step.notices)


@scenario("program_state")
def _from_a_delegate(request: pytest.FixtureRequest) -> Said:
    stage = Session(request.getfixturevalue("core")).backend("xnnpack").executorch()
    assert stage.pte
    return texts(stage.content.step.notices)


@scenario("edge_config", "fake_copies")
def _edge(request: pytest.FixtureRequest) -> Said:
    stage = Session(request.getfixturevalue("core")).edge(check_ir=False)
    assert stage.dialect == "edge"
    return texts(stage.content.step.notices)


@scenario("error_frames")
def _refused_edge_without_frames(request: pytest.FixtureRequest) -> Said:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("exir_viz.torch_internals.edge._VERIFIERS", ())
        return _refused_edge(request)


@scenario("edge_operators")
def _refused_edge(request: pytest.FixtureRequest) -> Said:
    stage = failing(Session(request.getfixturevalue("program")).edge)
    assert stage.failure.type == "SpecViolationError"
    return texts(stage.content.step.notices)


@scenario("partitioner_logs")
def _backend(request: pytest.FixtureRequest) -> Said:
    stage = Session(request.getfixturevalue("core")).backend("xnnpack")
    assert stage.dialect == "backend"
    return texts(stage.content.step.notices)


@scenario("program_passes")
def _transform(request: pytest.FixtureRequest) -> Said:
    stage = failing(Session(request.getfixturevalue("core")).transform, lambda _module: None)
    return [stage.failure.message]


@scenario("composite_operators", "call_tracing")
def _preview(request: pytest.FixtureRequest) -> Said:
    session = Session(request.getfixturevalue("program"))
    with pytest.warns(FeatureUnavailable) as caught:
        graph = session.root.preview("linear").method.graph
    assert [node.name for node in graph if node.op == "call_function"]
    return warned(caught)


@scenario("functionalization")
def _preview_of_composite(request: pytest.FixtureRequest) -> Said:
    with pytest.raises(UnsupportedTorch) as raised:
        Session(request.getfixturevalue("program")).root.preview("reshape")
    return [str(raised.value)]


@scenario("decomposition_rules", "operator_kernels")
def _operators(request: pytest.FixtureRequest) -> Said:
    session = Session(request.getfixturevalue("program"))
    with pytest.warns(FeatureUnavailable) as caught:
        rows = {row.op: row for row in session.root.ops()}
    assert rows["aten.linear.default"].decomposes
    return warned(caught)


@scenario("trace_memory")
def _drop(request: pytest.FixtureRequest) -> Said:
    session = Session(request.getfixturevalue("core"))
    stage = session.decompose()
    with pytest.warns(FeatureUnavailable) as caught:
        session.drop(stage)
    assert len(session) == 1
    return warned(caught)


# Explanations.


@scenario("custom_operators")
def _explain_custom(_request: pytest.FixtureRequest) -> Said:
    @torch.library.custom_op("exir_viz_tests::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        """Doubles what it is given."""
        return x * 2

    with pytest.warns(FeatureUnavailable) as caught:
        card = exir_viz.explain("exir_viz_tests.twice", executorch=False)
    assert not card.sentence.startswith("Doubles")
    return warned(caught)


@scenario("operator_names")
def _explain_unknown(_request: pytest.FixtureRequest) -> Said:
    with (
        pytest.warns(FeatureUnavailable) as caught,
        pytest.raises(ExirVizError, match=r"Unknown op 'aten\.ad\.X'"),
    ):
        exir_viz.explain("aten.ad.X", executorch=False)
    return warned(caught)


@scenario("verifiers")
def _explain(_request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        card = exir_viz.explain("aten.add.Tensor", executorch=True)
    assert card.schema.startswith("aten::add.Tensor(")
    assert {rule.allowed for rule in card.dialects if rule.dialect != "executorch"} == {None}
    return warned(caught)


@scenario("program_verifiers")
def _check(request: pytest.FixtureRequest) -> Said:
    with pytest.warns(FeatureUnavailable) as caught:
        report = exir_viz.check(request.getfixturevalue("program"))
    assert report.facts == ()
    return warned(caught)


# Measurements: what is said is among the remarks of the profile.


@scenario("functorch_wrappers")
def _profile(request: pytest.FixtureRequest) -> Said:
    profile = exir_viz.profile(request.getfixturevalue("core"), repeats=1)
    return [remark.text for remark in profile.remarks if remark.code == guard.CODE]


@scenario("runtime_threads")
def _profile_in_runtime(request: pytest.FixtureRequest) -> Said:
    manager = request.getfixturevalue("lowered")
    profile = exir_viz.profile(manager, executor="executorch", repeats=1)
    return [remark.text for remark in profile.remarks if remark.code == guard.CODE]


@scenario("implicit_quantization")
def _cut_a_part(_request: pytest.FixtureRequest) -> Said:
    from exir_viz.measure.delegate_parts.regions import part

    program = export(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sigmoid()), (torch.ones(2),))
    (relu,) = (node for node in program.graph.nodes if node.name == "relu")
    with pytest.warns(FeatureUnavailable) as caught:
        found = part(program, [relu])
    assert [node.name for node in found.outputs] == ["relu"]
    return warned(caught)


@scenario("runtime_loading")
def _load_in_runtime(request: pytest.FixtureRequest) -> Said:
    with pytest.raises(UnsupportedTorch) as raised:
        exir_viz.profile(request.getfixturevalue("lowered"), executor="executorch", repeats=1)
    return [str(raised.value)]


def test_a_process_that_runs_programs_does_without_the_compiler() -> None:
    script = """
import importlib, sys, warnings
warnings.simplefilter("ignore")
from exir_viz.torch_internals.runtime import import_bindings
import_bindings()
bindings = sys.modules["executorch.extension.pybindings.portable_lib"]
assert len(bindings._get_operator_names()) > 100
assert not [name for name in sys.modules if name.startswith("executorch.exir")]
# What asks for the compiler gets all of it, afterwards.
assert importlib.util.find_spec("executorch.exir").origin.endswith("__init__.py")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_bindings_that_need_more_of_the_compiler_get_it(tmp_path: Path) -> None:
    for package in ("executorch", "executorch/extension", "executorch/extension/pybindings"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "executorch/exir").mkdir()
    (tmp_path / "executorch/exir/__init__.py").write_text("lower = 1")
    (tmp_path / "executorch/extension/pybindings/portable_lib.py").write_text(
        "from executorch.exir import lower"
    )
    script = """
import sys
from exir_viz.torch_internals.runtime import import_bindings
import_bindings()
assert sys.modules["executorch.extension.pybindings.portable_lib"].lower == 1
assert sys.modules["executorch.exir"].lower == 1
"""
    path = os.pathsep.join([str(tmp_path), *sys.path])
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "PYTHONPATH": path})


@scenario("runtime_kernels")
def _fail_in_runtime(request: pytest.FixtureRequest) -> Said:
    from exir_viz.measure.runtime.pte import Loaded

    loaded = Loaded(request.getfixturevalue("lowered").buffer)
    with pytest.warns(FeatureUnavailable) as caught, pytest.raises(MeasureError, match="could not run"):
        loaded.run([torch.zeros(1, 1, 1)])
    return warned(caught)


@scenario("pte_files")
def _profile_file(request: pytest.FixtureRequest) -> Said:
    from exir_viz.measure.runtime.file import profile_file

    file = request.getfixturevalue("tmp_path") / "core.pte"
    file.write_bytes(request.getfixturevalue("lowered").buffer)
    with pytest.raises(UnsupportedTorch) as raised:
        profile_file(file, trust=True)
    return [str(raised.value)]


@scenario("etdump_files")
def _read_etdump(_request: pytest.FixtureRequest) -> Said:
    from exir_viz.measure.runtime.events import read

    with pytest.raises(UnsupportedTorch) as raised:
        read(bytes(8) + b"ED00")
    return [str(raised.value)]


@scenario("example_inputs")
def _pack(request: pytest.FixtureRequest) -> Said:
    from exir_viz.measure.sweeps.packed_program import pack

    with pytest.warns(FeatureUnavailable) as caught:
        parcel, _ = pack(request.getfixturevalue("edge"), None, None, None, ())
    assert parcel.program
    return warned(caught)
