"""The one language of exir_viz: a program frozen as plain data. Knows no torch and no other room."""

from .columns import SCHEMA
from .graph import Graph, Node
from .snapshot import Method, Snapshot

__all__ = ["SCHEMA", "Graph", "Method", "Node", "Snapshot"]
