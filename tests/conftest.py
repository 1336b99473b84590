"""How tests are spread over processes, and what tests of the snapshot share."""

from __future__ import annotations

import cProfile
import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.corpus.garbage import collect_less_often
from tests.corpus.grouping import group_of_test, is_quick, rank_of

pytest_plugins = ["tests.chromium"]

# Neither an example nor its making has a deadline: on a busy machine each may take seconds.
# A fixture that all examples of a test share is meant to be shared.
settings.register_profile(
    "exir_viz",
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
    ],
)
settings.load_profile("exir_viz")

# jsonschema, which Jupyter's packages import, would take two seconds to build a grammar of addresses that
# no test checks.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]


# Torch's testing package, which some modules import, loads a profile of its own: ours is loaded again before
# each module that is collected, and at the end.
def pytest_collectstart(collector: pytest.Collector) -> None:
    settings.load_profile("exir_viz")


# Each process holds torch, ExecuTorch and its programs, two to three GB: memory ends before cores do.
MOST_PROCESSES = 4


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One process more than there are cores: a third of the time a test waits for a browser or a kernel."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores + (cores > 1), MOST_PROCESSES)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="only the files that take seconds (`make quick`)")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Let torch take the cores that other processes leave it, and collect garbage less often.

    torch reads the number of threads when it is imported.
    """
    collect_less_often()
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        cores = os.cpu_count() or 1
        os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores // processes)))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A quick run does not even import the other files."""
    if not config.getoption("quick") or not collection_path.name.startswith("test_"):
        return None
    return None if is_quick(collection_path.relative_to(config.rootpath).as_posix()) else True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest groups first: this is also the order in which processes take them."""
    items.sort(key=lambda item: rank_of(group_of_test(item.nodeid)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Give each group whole to one process; `loadgroup` of pytest-xdist 3.8 does nothing with pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    scheduling = LoadScopeScheduling(config, log)
    scheduling._split_scope = group_of_test
    return scheduling


def pytest_collection_finish(session: pytest.Session) -> None:
    settings.load_profile("exir_viz")


# The files of tests that began, each with how many hundreds of modules were imported then.
_SEEN: set[tuple[Path, int]] = set()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """With each file, and after many imports: spare the garbage collector what modules and caches hold.

    Each profile has it look through all other objects.
    """
    if (now := (item.path, len(sys.modules) // 100)) not in _SEEN:
        _SEEN.add(now)
        gc.collect()
        gc.freeze()


@pytest.fixture
def call_count() -> Callable[[Callable[[], object]], int]:
    """Counts the Python and C calls that a function makes: work, measured without a clock.

    No garbage is collected meanwhile: finalizers of what others left are not the function's calls.
    """

    def count(run: Callable[[], object]) -> int:
        profile = cProfile.Profile()
        before = sys.getprofile()
        gc.disable()
        profile.enable()
        try:
            run()
        finally:
            profile.disable()
            sys.setprofile(before)
            gc.enable()
        return sum(entry.callcount for entry in profile.getstats())

    return count
