"""How the sizes of inputs may vary: read from a form, passed to torch.export, corrected as torch suggests.

`dimension_spec` reads one cell of the form ("static", "batch in 2..64", "2*batch + 1"); `dimension_rows` has
the cells of a program; `torch_shapes` makes torch.export's `dynamic_shapes` of them; `suggested_fixes` reads
torch's error messages.
"""
