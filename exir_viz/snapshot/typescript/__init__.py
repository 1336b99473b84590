"""The schema's other half: TypeScript made from the Python that owns it.

`python -m exir_viz.snapshot.typescript` writes what the front end knows of a Snapshot; with `--check` it
writes nothing and says whether the files still say what the Python says.
"""
