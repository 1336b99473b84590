"""Readiness: what of a program ExecuTorch can run, and where. See `exir_viz.readiness`."""
