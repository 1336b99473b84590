"""Which nodes of two Snapshots are each other's, and on what evidence. `matcher` is the recipe."""
