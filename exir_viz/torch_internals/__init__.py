"""Every use of private parts of torch and ExecuTorch: a file per topic, with a guard for each feature.

Private names can change with any release. Each feature says what it is for, which private names it uses, and
what happens if one of them is missing: the feature is left out and a notice says so. `features` contains the
guard and lists all features. A test refuses private names anywhere else in exir_viz.
"""
