"""How two matched nodes, methods and modules differ: kinds, fields, facts and counts."""
