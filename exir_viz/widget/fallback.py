"""What a notebook shows of an explorer where no script runs: on GitHub, in nbconvert's output."""

from __future__ import annotations

from html import escape

from exir_viz.snapshot import Snapshot


def fallback(snapshot: Snapshot) -> dict[str, str]:
    """Mime type → content; text as text, so that nothing of a program becomes markup."""
    return {"text/html": f"<pre>{escape(str(snapshot))}</pre>"}
