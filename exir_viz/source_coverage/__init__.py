"""Source coverage: what became of each line of the user's files. See `exir_viz.coverage`."""
