"""Symbolic shapes: which sizes may vary, and what follows from a size. See `exir_viz.shapes`."""
