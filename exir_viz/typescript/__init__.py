"""The other half of every record a page reads: TypeScript made from the Python that owns it.

`python -m exir_viz.typescript` writes what the front end knows of them; with `--check` it
writes nothing and says whether the files still say what the Python says.
"""
