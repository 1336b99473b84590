"""A table as text: CSV, JSON, Markdown."""

from __future__ import annotations

from exir_viz.table import Table

TABLES = ("nodes", "edges", "values", "scopes", "signature", "symbols", "ops")
TEXTS = {"csv": Table.csv, "json": Table.json, "markdown": Table.markdown}
