#!/usr/bin/env bash
# Installs the programs that pip and npm do not bring: Chromium (browser tests, benchmark), graphviz's dot (static
# pictures). Only what is missing, where apt and the right to use it exist; elsewhere it says what to install.
# EXIR_VIZ_CHROMIUM names a browser of your own; tests/chromium.py has the same names.
set -euo pipefail

has_chromium() {
  if [ -n "${EXIR_VIZ_CHROMIUM:-}" ]; then
    [ -x "$EXIR_VIZ_CHROMIUM" ]
  else
    has_shell || has chromium || has chromium-browser || has google-chrome || has google-chrome-stable
  fi
}

# Chromium without windows.
has_shell() { has chromium-headless-shell || has chrome-headless-shell; }

has() { command -v "$1" >/dev/null; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif has sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    return 1
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" </dev/null || true; }

missing=()
has_chromium || missing+=(chromium)
has dot || missing+=(graphviz)
if has apt-get && as_root true; then
  if [ ${#missing[@]} -gt 0 ]; then
    echo "Installing ${missing[*]}"
    apt update
    apt install -y --no-install-recommends "${missing[@]}"
  fi
  # Browser tests take half the time in it. Some systems have no such package.
  if [ -z "${EXIR_VIZ_CHROMIUM:-}" ] && ! has_shell && apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    echo "Installing chromium-headless-shell"
    apt install -y --no-install-recommends chromium-headless-shell
  fi
fi

problem=0
if ! has_chromium; then
  echo "No Chromium: install the package chromium, or set EXIR_VIZ_CHROMIUM to a Chromium or Chrome of yours." >&2
  problem=1
fi
if ! has dot; then
  echo "No dot: install the package graphviz." >&2
  problem=1
fi
exit $problem
