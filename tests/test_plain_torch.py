"""What a session lowers is what torch and ExecuTorch lower: each stage, its memory plan and the `.pte`.

A process lowers programs by sessions and writes their code; another one runs the code and never imports
exir_viz. `tests/plain_torch` has both.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nightly import nightly
from tests.plain_torch.comparing import compared, lower
from tests.plain_torch.programs import NAMES, SAMPLE


@pytest.mark.parametrize("names", [SAMPLE, *nightly([NAMES])], ids=["some", "all"])
def test_programs_are_lowered_as_by_their_code(names: tuple[str, ...], tmp_path: Path) -> None:
    lower("session", tmp_path, names)
    lower("plain", tmp_path, names)
    found = list(compared(tmp_path, names))
    assert [f"{one.name}, {one.way}: {text}" for one in found for text in one.differences] == []
    assert len({one.name for one in found}) == len(names)
    assert sum(one.failure is None for one in found) > len(found) * 0.7
