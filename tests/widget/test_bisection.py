"""Bisecting a delegate when a page asks: the region, stopping, refusals, and the reproducer."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from exir_viz.compare.values.records import BisectionRecord, Outcome
from exir_viz.stages.session import Session
from exir_viz.widget.value_comparison import bisections_of
from tests.measure.faults import Net, changed_weight, fault
from tests.remedies.suggestions import suggests

from .test_stages import Recorded

pytest.importorskip("executorch")

DELEGATE = "forward/executorch_call_delegate"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """A net whose third convolution XNNPACK is given another weight for, as long as the fault lasts."""
    torch.manual_seed(0)
    found = Session(Net().eval(), torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8))
    with fault(changed_weight(out=16)):
        found.root.edge().backend("xnnpack")
        yield found


@pytest.fixture(scope="module")
def explorer(session: Session) -> Iterator[Recorded]:
    explorer = Recorded(session)
    yield explorer
    explorer.close()


@pytest.fixture(scope="module")
def pair(session: Session) -> dict[str, str]:
    return {"a": session.root.id, "b": session["xnnpack"].id}


def test_a_delegate_is_bisected(
    explorer: Recorded, session: Session, pair: dict[str, str], tmp_path: Path
) -> None:
    asked = {**pair, "node": DELEGATE}
    suggests("Compare values in the ExecuTorch runtime first", bisections_of, None, None)
    early, _ = explorer.ask("bisect", **asked)
    assert early["kind"] == "refused"
    assert early["reason"].startswith("Compare values in the ExecuTorch runtime first")
    explorer.ask("values", **pair, options={"executor": "executorch"})
    before = len(explorer.sent)
    answer, (packed,) = explorer.ask("bisect", **asked)
    assert answer["kind"] == "bisect"
    found = msgspec.json.decode(zlib.decompress(packed), type=BisectionRecord)
    nodes = [explorer._values[pair["a"], pair["b"]].diff.numbering_b.node(one) for one in found.nodes]
    assert (found.outcome, [node.target.name for node in nodes]) == (Outcome.REGION, ["convolution"])
    assert found.lines == ("tests/measure/faults.py:30 return self.third(x).relu()",)  # no absolute path
    assert found.log[0].numbers is not None
    told = [content for content, _ in explorer.sent[before:] if content["kind"] == "progress"]
    assert told[0]["title"] == "bisect"
    assert "stage" not in told[-1]  # it is over
    assert json.loads(zlib.decompress(packed))["summary"].startswith("1 op in")

    folder = tmp_path / "alone"
    written, _ = explorer.ask("reproducer", **asked, path=str(folder))
    assert (written["kind"], written["shows"]) == ("reproducer", True)
    assert written["script"] == str(folder / "reproduce.py")
    assert (folder / "region.pt2").is_file()
    assert "self.third(x)" not in (folder / "reproduce.py").read_text()
    again, _ = explorer.ask("reproducer", **asked, path=str(folder))
    assert "already exists" in again["reason"]
    real = {"path": str(folder), "replace": True, "weights": "real", "names": True}
    written, _ = explorer.ask("reproducer", **asked, **real)
    assert (written["kind"], written["shows"]) == ("reproducer", True)
    assert "self.third(x)" in (folder / "reproduce.py").read_text()
    kept = torch.export.load(folder / "region.pt2").state_dict
    weight = session.root.programs["forward"].state_dict["third.weight"]
    assert any(torch.equal(one, weight) for one in kept.values() if one.shape == weight.shape)
    no_folder, _ = explorer.ask("reproducer", **asked, path=written["script"])
    assert "Name a folder" in no_folder["reason"]


def test_stop_keeps_the_smallest_so_far(explorer: Recorded, pair: dict[str, str]) -> None:
    if (pair["a"], pair["b"]) not in explorer._values:
        explorer.ask("values", **pair, options={"executor": "executorch"})
    send = explorer.send

    def stopping(content: Any, buffers: Any = None) -> None:
        send(content, buffers)
        if content.get("title") == "bisect":
            explorer._receive(explorer, {"kind": "ask", "what": "stop", "from": "view"}, [])

    explorer.send = stopping  # type: ignore[method-assign]
    try:
        answer, (packed,) = explorer.ask("bisect", **pair, node=DELEGATE)
    finally:
        explorer.send = send  # type: ignore[method-assign]
    found = msgspec.json.decode(zlib.decompress(packed), type=BisectionRecord)
    assert answer["kind"] == "bisect"
    assert (found.complete, found.nodes) == (False, ())
    assert found.summary.startswith("Stopped before a part of")
