"""Rules of the Export IR and its dialects, checked on a Snapshot: see `exir_viz.check` and docs/check.md.

Each rule is one `Rule` object in `rules.RULES`. Rules read a Snapshot and need no torch; the facts they need
about operators are data (`operators.json`, written by scripts/operators.py). For a live program the verifiers
of torch and ExecuTorch run too, and their verdicts are findings like those of the rules.
"""
