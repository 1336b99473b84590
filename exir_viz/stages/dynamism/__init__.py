"""How the sizes of inputs may vary: asked in words, built as torch wants it, mended as torch suggests.

`words` is the language of a form's cell ("static", "batch in 2..64", "2*batch + 1"), `rows` the form of a
program, `build` what torch.export takes, `fixes` what its complaints say to do.
"""
