"""The ExecuTorch runtime: a `.pte` as a whole, its delegates, and its ops one by one.

The runtime in the ExecuTorch wheel is built without the event tracer: it can time a program but not its ops.
So `measuring` times the whole, and each delegate and each op as separate programs: these times are marked as
estimates. `etdump` reads an ETDump written by another build.
"""
