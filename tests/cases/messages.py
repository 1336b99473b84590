"""Cases of messages from a kernel to a page: which are taken, and which are refused by both ends."""

from __future__ import annotations

from typing import Any

import msgspec

from exir_viz.widget.messages import Message

_HEAD = {"label": "seconds", "unit": "s", "nodes": ["forward/mm"]}
_CONTENTS: list[dict[str, Any]] = [
    {},
    {"kind": "secrets"},
    {"kind": 7},
    {"kind": "life"},
    {"kind": "life", "n": 3},
    {"kind": "life", "n": "3"},
    {"kind": "skeleton"},
    {"kind": "report"},
    {"kind": "reports", "reports": [{"name": "size", "title": "Size", "about": "What fills my file?"}]},
    {"kind": "reports", "reports": [{"name": "size", "title": "Size"}]},
    {"kind": "reports", "reports": ["size"]},
    {"kind": "reports"},
    {"kind": "stages", "tree": {"stages": []}, "at": "s0"},
    {"kind": "stages", "tree": {"stages": []}},
    {"kind": "stages", "tree": {"stages": []}, "at": None},
    {"kind": "ops", "rows": [{"op": "aten.mm.default"}]},
    {"kind": "ops", "rows": "none"},
    {"kind": "run", "stage": "s1"},
    {"kind": "run", "stage": 1},
    {"kind": "save", "path": "model.pte", "size": 12},
    {"kind": "save", "path": "model.pte", "size": "12"},
    {"kind": "bisect"},
    {"kind": "reproducer", "script": "out/reproduce.py", "program": "out/region.pt2", "shows": True},
    {"kind": "reproducer", "script": "out/reproduce.py", "program": "out/region.pt2", "shows": "yes"},
    {"kind": "refused", "reason": "There is no stage 's9'."},
    {"kind": "refused", "reason": "forward/add raised an error.", "node": "forward/add"},
    {"kind": "refused", "reason": "forward/add raised an error.", "node": 3},
    {"kind": "refused"},
    {"kind": "progress"},
    {"kind": "progress", "stage": "s0", "title": "edge", "text": "lowering", "fraction": 0.5, "seconds": 3},
    {
        "kind": "progress",
        "stage": "s0",
        "title": "edge",
        "text": "lowering",
        "fraction": None,
        "seconds": 3.5,
    },
    {"kind": "progress", "stage": "s0", "title": "edge", "seconds": "3"},
    {"kind": "series", "series": [_HEAD], "show": None},
    {"kind": "series", "series": [{**_HEAD, "categories": ["a", "b"]}], "show": "seconds"},
    {"kind": "series", "series": [{**_HEAD, "nodes": [1]}], "show": None},
    {"kind": "series", "series": [{"label": "seconds"}], "show": None},
    {"kind": "series", "series": [_HEAD]},
    {"kind": "profiles", "stages": ["", "s1"], "show": "s1"},
    {"kind": "profiles", "stages": [None], "show": None},
    {"kind": "do", "action": "fit"},
    {"kind": "do", "action": "explode"},
    {"kind": "do"},
    {"kind": "do", "action": "open", "paths": ["layers.0"], "nodes": [], "depth": None},
    {"kind": "do", "action": "open", "paths": ["layers.0"], "nodes": [], "depth": "all"},
    {"kind": "do", "action": "open", "paths": "layers.0", "nodes": [], "depth": 1},
    {"kind": "do", "action": "color", "query": "op:*mm*", "color": None},
    {"kind": "do", "action": "color", "query": "op:*mm*"},
    {"kind": "do", "action": "compare", "stages": ["s0", "s1"]},
]


def cases() -> dict[str, list[Any]]:
    """Each message, and whether it is one that a kernel sends."""
    return {"messages": [[content, _is_sent(content)] for content in _CONTENTS]}


def _is_sent(content: dict[str, Any]) -> bool:
    try:
        Message(content)
    except msgspec.ValidationError:
        return False
    return True
