"""A script for `mypy --strict`: a line marked with `# error: code` is an error, and no other line is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, assert_type

import pandas as pd
import torch

import exir_viz
from exir_viz import Session, reports
from exir_viz.errors import ExirVizError, UnknownOption
from exir_viz.types import (
    Diagnosis,
    Diff,
    Explorer,
    OpCard,
    Profile,
    Snapshot,
    Stage,
    Sweep,
    Values,
)
from exir_viz.widget.page import Page

module = torch.nn.Linear(4, 4)
x = torch.ones(2, 4)
path = Path("model.exirviz")

# -- the ways in, and what they return

snapshot = exir_viz.load(module, x, kwargs={"scale": x}, dynamic_shapes=None, strict=True)
assert_type(snapshot, Snapshot)
assert_type(exir_viz.load("model.pt2"), Any)
assert_type(exir_viz.load(path, trust=True), Stage)
program = exir_viz.load(path, trust=True).program
assert_type(program, torch.export.ExportedProgram)

exir_viz.load(module, x, stirct=True)  # error: call-overload
exir_viz.load(module, x, strict="yes")  # error: call-overload

# -- the steps of a session

session = exir_viz.Session(module, x, name="mine")
assert_type(session, Session)
stage = session.edge(preserve=["aten.linear.default"], check_ir=False)
assert_type(stage, Stage)
assert_type(stage.executorch(alloc_graph_input=False, algorithm="naive"), Stage)
session.decompose(["aten.linear.default"])
session.backend("xnnpack", dim_order=True)
session.quantize([x], per_channel=False)
session.reexport(dims={"x": {0: "batch in 2..64"}})

stage.executorch(alloc_graph_inputs=False)  # error: call-arg
stage.executorch(emit_stacktrace="no")  # error: arg-type
session.edge(preserved=["aten.linear.default"])  # error: call-arg
session.quantize(calibrate=[x])  # error: call-arg
exir_viz.Session(module, x, title="mine")  # error: call-arg

# -- what ExecuTorch can run

assert_type(reports.run("delegation", session.root, backends=["xnnpack"]), reports.Report)
assert_type(reports.run("delegation", "model.pt2").frame, pd.DataFrame)

# -- what keeps a module from being exported

assert_type(exir_viz.doctor(module, x, draft=False), Diagnosis)

exir_viz.doctor("model.pt2")  # error: arg-type
exir_viz.doctor(module, x, strict=True)  # error: call-arg

# -- what became of the user's lines

assert_type(exir_viz.load(module, x, dynamic_shapes=({0: None},), watch=True), exir_viz.types.Snapshot)

exir_viz.load(module, x, watched=True)  # error: call-overload

# -- what is measured

profile = exir_viz.profile(session.root, x, repeats=3, executor="cpu")
assert_type(profile, Profile)
assert_type(exir_viz.measure.sweep({"small": module}, x, threads=(1, 2)), Sweep)
assert_type(profile.frame, pd.DataFrame)

exir_viz.profile(session.root, repeat=3)  # error: call-arg
exir_viz.profile(session.root, x, "cpu")  # error: call-arg
exir_viz.measure.sweep(module, x, thread=(1, 2))  # error: call-arg

# -- what is compared

diff = exir_viz.diff(snapshot, "model.pt2", names=("before", "after"))
assert_type(diff, Diff)
values = exir_viz.diff(session.root, stage).values(rtol=1e-2)
assert_type(values, Values)

exir_viz.diff(snapshot, snapshot, names="before")  # error: arg-type
exir_viz.diff(session.root, stage).values(tolerance=1e-2)  # error: call-arg

# -- what is shown and written

explorer = exir_viz.explore(module, x, height=400)
assert_type(explorer, Explorer | Page)
assert_type(exir_viz.explain("aten.add.Tensor"), OpCard)
explorer.select("forward/linear")
assert_type(explorer.to_html("page.html", sources=False), Path)
assert_type(snapshot.to_html(path, title="mine", absolute_paths=True), Path)
assert_type(session.to_html(path, compare=(session.root, stage), values=[values]), Path)
assert_type(diff.to_html(path, values=values), Path)
assert_type(profile.to_html(path, sources=False), Path)
assert_type(values.to_html(path), Path)
assert_type(session.save(path, sources=False), Path)

explorer.to_html("page.html", source=False)  # error: call-arg
snapshot.save(path, absolute=True)  # error: call-arg
exir_viz.explore(module, x, hieght=400)  # error: call-arg

# -- tables, charts, and what else there is

assert_type(exir_viz.tables.nodes(snapshot), pd.DataFrame)
assert_type(exir_viz.tables.matches(diff), pd.DataFrame)
assert_type(exir_viz.measure.frames.compare_frame([profile]), pd.DataFrame)
exir_viz.figures.bars(profile, top=5)

exir_viz.tables.nodes("model.pt2")  # error: arg-type
exir_viz.figures.bars(profile, most=5)  # error: call-arg
exir_viz.tables.nothing(snapshot)  # error: attr-defined
exir_viz.nothing()  # error: attr-defined

try:
    session.do(session.root, "edge", {"presrve": []})
except UnknownOption as error:
    assert_type(error.nearest, str)
except ExirVizError as error:
    print(error)
