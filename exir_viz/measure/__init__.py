"""What each op costs: a program is run and timed node by node, and the answer is a Profile.

`cpu` runs an ExportedProgram of any dialect in eager torch; `runtime` runs a `.pte` in ExecuTorch. Both yield
the same plain data, keyed by the names of nodes in a Snapshot. torch is imported when something is run; a
saved Profile is read, rolled up and drawn without it.
"""
