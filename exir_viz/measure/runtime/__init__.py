"""The ExecuTorch runtime: a `.pte` as a whole, and its delegates.

The runtime in the ExecuTorch wheel is built without the event tracer: it can time a program but not its ops.
So `measuring` times the whole, and each delegate as a separate program: these times are marked as
estimates. `etdump` reads an ETDump written by another build.
"""
