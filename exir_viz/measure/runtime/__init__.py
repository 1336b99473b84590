"""The ExecuTorch runtime: a `.pte` as a whole, its delegates, and its ops one by one.

The runtime of the ExecuTorch wheel has its event tracer compiled out: it can tell how long a program takes,
and nothing of what is in it. So `measuring` times the whole, and each delegate and each op in programs of
their own (`alone`): these are estimates, and say so. An ETDump that another build wrote is read by `etdump`.
"""
