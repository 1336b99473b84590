"""What a notebook saves of an explorer where the user asked for it: all that is shown, without a kernel."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any, Final

from exir_viz.pages.page_data import PagePart

# JupyterLab's extension shows what is saved under this name (`labextension/src/hosts/fallback.ts`).
MIME_TYPE: Final = "application/vnd.exir-viz.explorer+json"


def saved_output(parts: Iterable[PagePart], title: str, height: int) -> Mapping[str, Any]:
    """The output's JSON."""
    texts = {name: base64.b64encode(data).decode() for name, data in parts}
    return {"title": title, "height": height, "parts": texts}


def size_of(output: Mapping[str, Any]) -> int:
    """Bytes that the notebook grows by."""
    return sum(map(len, output["parts"].values()))
