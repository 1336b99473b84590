"""What exir_viz adds to IPython: cards for programs, and the list of programs for JupyterLab's sidebar."""
