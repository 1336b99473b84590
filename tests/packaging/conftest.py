"""What packaging tests share: the hook as a module, a machine without Node, and this checkout built once."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from .checkout import ROOT, Distributions, run


@pytest.fixture(scope="session")
def hatch_build() -> ModuleType:
    """hatch_build.py as hatchling loads it: by its path."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """The sdist and the wheel of this checkout, the front end among them."""
    place = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-d", place, env=dict(os.environ), cwd=ROOT)
    (wheel,), (sdist,) = place.glob("*.whl"), place.glob("*.tar.gz")
    return Distributions(wheel, sdist)


@pytest.fixture
def no_node(tmp_path: Path) -> dict[str, str]:
    """The environment of a machine on which there is no node and no npm, nor anything else."""
    empty = tmp_path / "empty-bin"
    empty.mkdir()
    return {"PATH": str(empty), "HOME": str(tmp_path)}
