"""Every use of private parts of torch and ExecuTorch: one file per feature, each with a guard.

What is private can change with any release. Each file says what the feature is for, which private names it
uses, and what happens where one of them is absent: the feature is left out and a notice says so. `features`
holds the guard, `registry` lists the features. A test refuses private names anywhere else in exir_viz.
"""
