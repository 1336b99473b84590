"""What exir_viz adds to IPython."""
