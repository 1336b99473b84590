"""Steps that fail: their methods raise StepFailed, and the failed stage is kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from exir_viz.errors import StepFailed
from exir_viz.stages.stage import Stage


def failing(step: Callable[..., Stage], /, *args: object, **options: object) -> Stage:
    """The failed stage of a step that must fail."""
    with pytest.raises(StepFailed) as caught:
        step(*args, **options)
    assert caught.value.stage in caught.value.stage.session.stages
    return caught.value.stage


def outcome(step: Callable[..., Stage], /, *args: object, **options: object) -> Stage:
    """The stage of a step that may fail."""
    try:
        return step(*args, **options)
    except StepFailed as error:
        return error.stage
