"""Builds files of the corpus, in whichever process: only that one imports torch."""

from __future__ import annotations

import warnings

from .folder import FOLDER
from .garbage import collect_less_often


def build(names: tuple[str, ...]) -> None:
    """NAME, NAME.core, NAME.stages, NAME.diff or NAME.STAGE, each made when it is not there yet."""
    import exir_viz

    from . import eight_layers
    from .compared import compared
    from .programs import archive
    from .staged import staged

    warnings.filterwarnings("ignore")
    collect_less_often()
    for name in names:
        base, _, level = name.partition(".")
        if level == "stages":
            staged(base)
        elif level == "diff":
            compared(base)
        elif not (snapshot := FOLDER / f"{name}.exirviz").exists():
            is_saved = base in eight_layers.MODELS
            source = eight_layers.saved(base, level) if is_saved else archive(base, level or "aten")
            exir_viz.load(source).save(snapshot, absolute_paths=True)
