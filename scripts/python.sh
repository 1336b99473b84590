#!/usr/bin/env bash
# Makes .venv with the python given and installs the project, editable, with all that its development needs.
# torch comes first and alone: the resolver then finds it settled, and keeps the build that pip was pointed at.
set -euo pipefail
python=$1

"$python" - <<'PY'
import sys
if sys.version_info < (3, 11):
    sys.exit(f"exir_viz needs Python 3.11 or later, {sys.executable} is {sys.version.split()[0]}: make setup PYTHON=python3.12")
PY
version='import sys; print(*sys.version_info[:2])'
if [ "$(.venv/bin/python -c "$version" 2>/dev/null)" != "$("$python" -c "$version")" ]; then
  rm -rf .venv
  "$python" -m venv .venv
fi

pip=(.venv/bin/python -m pip --disable-pip-version-check --quiet)
"${pip[@]}" install --upgrade 'pip>=25.1' # the first with --group
echo "Installing torch"
"${pip[@]}" install 'torch==2.13.*'
echo "Installing exir_viz and what its development needs"
# The front end is `make build`'s: the install alone needs no Node.
EXIR_VIZ_JS=skip "${pip[@]}" install --editable . --group dev
