"""Every use of private parts of torch and ExecuTorch: one file per feature, each with a guard.

Private names can change with any release. Each file says what the feature is for, which private names it
uses, and what happens if one of them is missing: the feature is left out and a notice says so. `features`
contains the guard, `registry` lists the features. A test refuses private names anywhere else in exir_viz.
"""
