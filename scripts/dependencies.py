"""Prints a short hash of what .venv is made from: the Python, pyproject.toml's requirements, the arguments.

The arguments are the versions of torch and ExecuTorch that the Makefile asks for. New lint rules alone change
nothing.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from pathlib import Path

wanted = tomllib.loads(Path("pyproject.toml").read_text())
parts = [
    *(wanted["build-system"], wanted["project"], wanted["dependency-groups"]),
    *(sys.version_info[:2], sys.argv[1:]),
]
print(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16])
