#!/usr/bin/env bash
# The two programs that pip and npm do not bring: Chromium (browser tests, benchmark), graphviz's dot (static pictures).
#   programs.sh chromium   prints where Chromium is; nothing when there is none. EXIR_VIZ_CHROMIUM names one of your own.
#   programs.sh install    installs what is missing where apt and the right to use it exist, else says what to install.
set -euo pipefail

find_chromium() {
  if [ -n "${EXIR_VIZ_CHROMIUM:-}" ]; then
    echo "$EXIR_VIZ_CHROMIUM"
    return
  fi
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name"; then return; fi # no name here may be a function's: that would be printed instead
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    return 1
  fi
}

install_missing() {
  local missing=()
  [ -x "$(find_chromium)" ] || missing+=(chromium)
  command -v dot >/dev/null || missing+=(graphviz)
  [ ${#missing[@]} -gt 0 ] || return 0

  if command -v apt-get >/dev/null; then
    echo "Installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" </dev/null || true
  fi
  local problem=0
  if [ ! -x "$(find_chromium)" ]; then
    echo "No Chromium: install the package chromium, or set EXIR_VIZ_CHROMIUM to a Chromium or Chrome of yours." >&2
    problem=1
  fi
  if ! command -v dot >/dev/null; then
    echo "No dot: install the package graphviz." >&2
    problem=1
  fi
  return $problem
}

case "${1:-}" in
  chromium) find_chromium ;;
  install) install_missing ;;
  *) echo "usage: $0 chromium|install" >&2 && exit 2 ;;
esac
