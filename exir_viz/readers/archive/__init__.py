"""Archives of exported programs (`.pt2`, ETRecord) → Snapshot, read as data: no torch, no pickle, no eval.

The flow: `container` (zip members within limits) → `layouts` (which member is what) → `schema` (typed JSON) →
`models` (a program is a method: `method`, `graph`, `values`, `symbols`, `metadata`, `signature`, `state`, …).
"""

from exir_viz.readers.archive.read import read

__all__ = ["read"]
