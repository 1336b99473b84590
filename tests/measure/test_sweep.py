"""Sweeps: every combination, one process at a time or on a real Dask cluster; failures stop nothing."""

from __future__ import annotations

import pytest

from exir_viz.measure.sweep import sweep
from tests.corpus.programs import exported


def _symbol(name: str) -> str:
    found = (expr for expr, limits in exported(name).range_constraints.items() if limits.upper == 256)
    return str(next(found))


def test_every_combination_in_a_process_of_its_own() -> None:
    seen = []
    symbol = _symbol("named_dims")  # from 4 to 256
    found = sweep(
        {"named": exported("named_dims")},
        threads=(1, 2),
        symbols={symbol: (8, 1000)},
        repeats=2,
        progress=seen.append,
    )
    assert len(found) == 2
    frame = found.frame
    assert list(frame.columns[:3]) == ["program", "threads", symbol]
    assert len(frame) == 4
    assert (frame["time_us"].notna() == frame["error"].isna()).all()
    for setting, profile in found:
        assert profile.conditions.threads == setting["threads"]
        assert profile.conditions.symbols[symbol] == 8
    assert len(found.failed) == 2
    assert set(found.nodes["threads"]) == {1, 2}
    assert [one.done for one in seen] == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_on_a_dask_cluster() -> None:
    distributed = pytest.importorskip("distributed")
    programs = {name: exported(name) for name in ("related_dims", "dynamic_batch")}
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as executor,
    ):
        found = sweep(programs, executor=executor, repeats=2)
    assert [setting["program"] for setting, _ in found] == list(programs)
    assert found.failed == []
    assert (found.frame["time_us"] > 0).all()
