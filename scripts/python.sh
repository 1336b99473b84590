#!/usr/bin/env bash
# python.sh PYTHON TORCH EXECUTORCH: makes .venv with this Python and installs the project, editable, with every
# extra and all that its development needs, and these versions of torch and ExecuTorch ("2.13.*", "1.4.*").
# torch comes first and alone: the resolver then finds it settled, and keeps the build that pip was pointed at.
set -euo pipefail
python=$1 torch=$2 executorch=$3

"$python" - <<'PY'
import sys
if sys.version_info < (3, 11):
    sys.exit(f"exir_viz needs Python 3.11 or later, {sys.executable} is {sys.version.split()[0]}: make setup PYTHON=python3.12")
PY
version='import sys; print(*sys.version_info[:2])'
if [ -x .venv/bin/python ] && [ "$(.venv/bin/python -c "$version")" != "$("$python" -c "$version")" ]; then
  echo "Replacing .venv: it is of another Python"
  rm -rf .venv
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv

pip=(.venv/bin/python -m pip --disable-pip-version-check --quiet)
"${pip[@]}" install --upgrade 'pip>=25.1' # the first with --group
echo "Installing torch $torch"
"${pip[@]}" install "torch==$torch"
echo "Installing exir_viz, its extras with ExecuTorch $executorch, and what its development needs"
# The front end is `make build`'s: the install alone needs no Node.
EXIR_VIZ_JS=skip "${pip[@]}" install --editable '.[all]' "torch==$torch" "executorch==$executorch" --group dev
