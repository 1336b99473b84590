"""The bundled CPU executor: an ExportedProgram of any dialect, node by node, in eager torch.

`plan` prepares a program once, `state` gives each run its own copy of what the program writes to, `timing`
runs and times it, `survey` runs it once more to count bytes and FLOPs, and `program` makes a Profile of it.
The program and the user's module are never changed.
"""
