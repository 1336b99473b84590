"""Generate TypeScript from the Python types of every record that a page reads.

`python -m exir_viz.typescript` writes the files of the front end; `--check` writes nothing and reports files
that are out of date.
"""
