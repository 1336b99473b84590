"""Prints a short hash of what .venv is made from: this Python's version, and what pyproject.toml wants installed."""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from pathlib import Path

wanted = tomllib.loads(Path("pyproject.toml").read_text())
parts = [sys.version_info[:2], wanted["build-system"], wanted["project"], wanted["dependency-groups"]]
print(hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16])
