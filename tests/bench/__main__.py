"""python -m tests.bench [SECTION …]: print the benchmark's tables, and keep them in docs/dev/results.json.

`python -m tests.bench docs` writes these figures into README and docs.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import warnings

from tests.corpus import programs

from . import (
    ablation,
    beside,
    capturing,
    comparing,
    documents,
    loading,
    notebook,
    opening,
    package,
    parting,
    picture,
    profiling,
    results,
)


def stages() -> None:
    """Importing ExecuTorch takes seconds: only its section does."""
    from . import staging

    staging.run()


def operators() -> None:
    """As `stages`."""
    from . import operators as section

    section.run()


def device_times() -> None:
    """As `stages`."""
    from . import device_times as section

    section.run()


SECTIONS = {
    "package": package.run,
    "capture": capturing.run,
    "linear": capturing.run_linear,
    "load": loading.run,
    "diff": comparing.run,
    "dynamo": comparing.run_dynamo,
    "ablation": ablation.run,
    "operators": operators,
    "values": parting.run,
    "picture": picture.run,
    "beside": beside.run,
    "notebook": notebook.run,
    "opening": opening.run,
    "stages": stages,
    "profile": profiling.run,
    "etdump": device_times,
}
# Sections that read none of these files.
WITHOUT_FILES = {
    "package", "capture", "dynamo", "ablation", "operators", "values", "stages", "profile", "etdump",
}  # fmt: skip
FILES = (
    ("llama32", "aten"),
    ("llama32", "core"),
    ("deep1k", "aten"),
    ("deep10k", "aten"),
    ("deep100k", "aten"),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "sections",
        nargs="*",
        metavar="SECTION",
        help=f"of {', '.join(SECTIONS)}, all if none; or docs: write the kept figures into README and docs",
    )
    chosen = parser.parse_args().sections or list(SECTIONS)
    if unknown := set(chosen) - {*SECTIONS, "docs"}:
        parser.error(f"there is no section {', '.join(sorted(unknown))}")
    if chosen == ["docs"]:
        documents.run()
        return
    warnings.filterwarnings("ignore")
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, ", end="")
    print(f"load {os.getloadavg()[0]:.1f}", flush=True)
    for name, level in FILES if set(chosen) - WITHOUT_FILES else ():
        programs.archive(name, level)  # deep100k takes minutes, once
    with results.recording():
        for number, section in enumerate(chosen, 1):
            print(f"{section}: section {number} of {len(chosen)}", file=sys.stderr, flush=True)
            SECTIONS[section]()


if __name__ == "__main__":
    main()
