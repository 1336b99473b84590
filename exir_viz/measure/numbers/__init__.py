"""Run two programs side by side on the same inputs: where values diverge, and by how much."""
