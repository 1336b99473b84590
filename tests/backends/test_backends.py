"""What installed packages contribute for their backends, and that a broken one never breaks exir_viz."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

import exir_viz
from exir_viz import backends, reports, tables
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import DelegationReason
from exir_viz.snapshot.delegation import delegation_of
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.wire import decode, encode

WILD = Path(__file__).parents[1] / "readers" / "wild" / "executorch-1.5.1"
PACKAGE = Path(__file__).with_name("acme_exir.py")

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs the example package so that its entry point is this object."""
    place = tmp_path / "site-packages"
    shutil.copytree(PACKAGE.parent, place, ignore=lambda _, names: [n for n in names if n != PACKAGE.name])
    info = place / "acme_exir-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-exir\nVersion: 1.0\n")

    def install(target: str) -> None:
        (info / "entry_points.txt").write_text(f"[{backends.GROUP}]\nacme = {target}\n")
        importlib.invalidate_caches()
        backends.contributions.cache_clear()

    monkeypatch.syspath_prepend(str(place))
    yield install
    sys.modules.pop("acme_exir", None)
    monkeypatch.undo()
    backends.contributions.cache_clear()


def program(tmp_path: Path, name: str = "dynamic") -> Snapshot:
    """A `.pte` with a delegate of Acme's backend."""
    path = tmp_path / f"{name}.pte"
    path.write_bytes((WILD / f"{name}.pte").read_bytes().replace(b"XnnpackBackend", b"AcmeDspBackend"))
    return exir_viz.load(path)


def problems(snapshot: Snapshot) -> list[str]:
    return [one.text for one in snapshot.notices if one.code == "backend"]


def test_without_a_package_a_payload_of_another_backend_has_its_size_alone(tmp_path: Path) -> None:
    snapshot = program(tmp_path)
    (delegate,) = (graph for graph in snapshot.graphs if graph.delegate)
    assert delegate.payload is None
    assert delegate.delegate is not None
    assert delegate.delegate.bytes == 448
    assert problems(snapshot) == []


def test_a_package_reads_the_payloads_of_its_backend(install: Install, tmp_path: Path) -> None:
    install("acme_exir:AcmeBackend")
    snapshot = program(tmp_path)
    (op,) = tables.records(snapshot, "payload_ops")
    assert (op["op"], op["inputs"], op["debug_handle"]) == ("AcmeXH", "uint8[448]", 3)
    assert next(one.payload.reader for one in snapshot.graphs if one.payload) == "acme-exir"
    assert decode(encode(snapshot)) == snapshot
    # XNNPACK's own payloads are read as before
    assert tables.records(exir_viz.load(WILD / "dynamic.pte"), "payload_ops")[0]["op"] == "Add"


def test_reasons_of_a_package_are_shown_where_the_partitioner_gave_none(
    install: Install, tmp_path: Path
) -> None:
    install("acme_exir:AcmeBackend")
    snapshot = program(tmp_path)
    found = delegation_of(snapshot)
    assert found is not None
    assert [row.reason for row in found.cpu] == ["Acme has no cat."]
    node = next(node for node in snapshot.method.graph if node.op == "call_function")
    reason = DelegationReason("It is dynamic.", (Numbering(snapshot).number(node),))
    stated = Snapshot(snapshot.skeleton, replace(snapshot.detail, delegation_reasons=(reason,)))
    told = delegation_of(stated)
    assert told is not None
    assert [row.reason for row in told.cpu] == ["It is dynamic."]


def test_overlays_of_a_package_are_in_the_explorer(install: Install, tmp_path: Path) -> None:
    install("acme_exir:AcmeBackend")
    explorer = exir_viz.types.Explorer(program(tmp_path))
    (message,) = explorer._early
    (series,) = message.content["series"]
    assert (series["label"], message.content["show"]) == ("Acme cycles", None)
    assert len(series["nodes"]) == 1
    assert not exir_viz.types.Explorer(exir_viz.load(WILD / "linear.pte"))._early  # nothing is delegated


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (
            "acme_exir:Broken",
            "The package acme-exir failed in read_payload: ZeroDivisionError: the Acme simulator",
        ),
        ("acme_exir:Missing", "The package acme-exir could not be loaded: AttributeError: "),
        ("not_there:Backend", "The package acme-exir could not be loaded: ModuleNotFoundError: "),
        (
            "acme_exir:NOT_A_BACKEND",
            "The package acme-exir contributes a dict, not an exir_viz.backends.Backend",
        ),
        (
            "acme_exir:WrongTensors",
            "acme-exir could not read the payload of delegate_0: op 0 (Acme) names a tensor",
        ),
    ],
)
def test_a_package_that_fails_is_named(install: Install, tmp_path: Path, target: str, text: str) -> None:
    install(target)
    snapshot = program(tmp_path)
    assert [one.startswith(text) for one in problems(snapshot)] == [True]
    assert not tables.records(snapshot, "payload_ops")
    assert exir_viz.types.Explorer(snapshot).snapshot is snapshot
    # a program without delegates does not ask it
    assert problems(exir_viz.load(WILD / "linear.pte")) == []


def test_bad_reasons_and_overlays_are_named(install: Install, tmp_path: Path) -> None:
    install("acme_exir:Broken")
    snapshot = program(tmp_path)
    said = reports.run("delegation", snapshot).unexamined
    assert "The package acme-exir returned a list from delegation_reasons." in said
    shown: list[str] = []
    explorer = exir_viz.types.Explorer(snapshot)
    shown = explorer._problems
    assert [one.startswith("The package acme-exir gave the overlay 'Acme cycles': ") for one in shown] == [
        True
    ]
    explorer.paint({}, "mine")
