"""Two programs run side by side on the same inputs: where their numbers part, and by how much."""
