"""Prints a short hash of what pyproject.toml wants installed: new lint rules alone install nothing."""

from __future__ import annotations

import hashlib
import json
import tomllib
from pathlib import Path

wanted = tomllib.loads(Path("pyproject.toml").read_text())
parts = [wanted["build-system"], wanted["project"], wanted["dependency-groups"]]
print(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16])
