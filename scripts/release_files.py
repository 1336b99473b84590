"""Write the files of one release of torch and of ExecuTorch that `tests/readers/test_wild_files.py` reads.

    python scripts/release_files.py 2.8.0          # torch 2.8.0: .pt2 files
    python scripts/release_files.py 2.9.1 1.0.1    # and ExecuTorch 1.0.1: .pte files and an ETRecord

Installs the releases into a temporary environment (1 to 2 GB) and runs `release_programs.py` there. The files
go to `torch-2.9.1` and `executorch-1.0.1` under `tests/readers/wild`.

Most releases of torch come only as CUDA builds, whose libraries take several GB more. They are not installed:
torch is installed without its dependencies, and empty libraries with the names and symbols of NVIDIA's are
built instead (this takes gcc and readelf), so that torch can be imported. No GPU is used, and every file is
written by the release's own code.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

WILD = Path(__file__).parents[1] / "tests" / "readers" / "wild"
PROGRAMS = "release_programs.py"
# What torch.export and ExecuTorch import, beside each other.
PURE = ("filelock", "typing-extensions", "networkx", "jinja2", "fsspec", "numpy", "setuptools<82")
EXECUTORCH = (
    "flatbuffers", "pyyaml", "ruamel.yaml", "tabulate", "packaging", "pandas", "parameterized", "hypothesis",
    "expecttest",
)  # fmt: skip
# The torchao that a release of ExecuTorch asks for.
TORCHAO = {"1.0": "0.14.0", "1.1": "0.15.0", "1.2": "0.17.0", "1.3": "0.17.0"}
_NVIDIA_LIBRARY = re.compile(r"lib(cu|nv|nccl)")
_NVIDIA_SYMBOL = re.compile(r"(__)?cu|nv|nccl")
_NEEDED = re.compile(r"NEEDED.*\[(.+?)\]")
_VERSION_FILE = re.compile(r"Version: 1  File: (\S+)")
_VERSION_NAME = re.compile(r"\s+0x\w+:\s+Name: (\S+)")


@dataclass
class Symbols:
    """What the libraries of torch need and define, as readelf prints it."""

    needed: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)
    undefined: set[tuple[str, str]] = field(default_factory=set)
    library_of: dict[str, str] = field(default_factory=dict)  # the version of a symbol → its library

    def add(self, library: Path) -> None:
        text = run("readelf", "-W", "-d", "-V", "--dyn-syms", str(library))
        self.needed |= set(_NEEDED.findall(text))
        versions_of = ""
        for line in text.splitlines():
            if found := _VERSION_FILE.search(line):
                versions_of = found[1]
            elif versions_of and (found := _VERSION_NAME.match(line)):
                self.library_of.setdefault(found[1], versions_of)
            self._add_symbol(line.split())

    def _add_symbol(self, columns: list[str]) -> None:
        if len(columns) < 8 or columns[4] not in ("GLOBAL", "WEAK"):
            return
        name, _, version = columns[7].partition("@")
        if columns[6] != "UND":
            self.defined.add(name)
        elif columns[4] == "GLOBAL":
            self.undefined.add((name, version))


def run(*command: str, text: str | None = None) -> str:
    """What a command prints; raises CalledProcessError where it fails."""
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def write_libraries(torch: Path, folder: Path) -> None:
    """A library for each of NVIDIA's that torch needs; calls of it report that there is no device."""
    symbols = Symbols()
    for library in (*torch.glob("lib/*.so*"), *torch.glob("_C*.so")):
        symbols.add(library)
    names = sorted(filter(_NVIDIA_LIBRARY.match, symbols.needed))
    unversioned = [name for name in names if name not in symbols.library_of.values()]
    contents: dict[str, dict[str, list[str]]] = {name: defaultdict(list) for name in names}
    for symbol, version in sorted(symbols.undefined):
        if symbol in symbols.defined:
            continue
        if version:
            wanted = [symbols.library_of[version]] if symbols.library_of.get(version) in contents else []
        else:
            wanted = unversioned if _NVIDIA_SYMBOL.match(symbol) else []
        for name in wanted:
            contents[name][version].append(symbol)
    for name, by_version in contents.items():
        _write_library(folder / name, by_version)


def _write_library(path: Path, by_version: dict[str, list[str]]) -> None:
    # 100 is cudaErrorNoDevice; what begins with two underscores runs when a library is loaded, and succeeds.
    code = "".join(
        f"long {symbol}(void) {{ return {0 if symbol.startswith('__') else 100}; }}\n"
        for found in by_version.values()
        for symbol in found
    )
    versions = "".join(
        f"{version} {{ global: {' '.join(f'{one};' for one in found)} }};\n"
        for version, found in by_version.items()
        if version
    )
    options = [f"-Wl,-soname,{path.name}"]
    if versions:
        script = path.with_suffix(".map")
        script.write_text(versions, "utf-8")
        options.append(f"-Wl,--version-script={script}")
    run("gcc", "-shared", "-fPIC", "-w", "-x", "c", "-", *options, "-o", str(path), text=code)


def install(folder: Path, torch: str, executorch: str) -> Path:
    """The Python of a new environment with these releases."""
    python = folder / "venv" / "bin" / "python"
    run(sys.executable, "-m", "venv", str(folder / "venv"))
    pip = (str(python), "-m", "pip", "install", "--quiet", "--no-compile")
    sympy = "sympy==1.13.1" if torch.startswith("2.6.") else "sympy>=1.13.3,<1.15"
    run(*pip, *PURE, sympy, *(EXECUTORCH if executorch else ()))
    torchao = TORCHAO.get(executorch[:3], "0.18.0")
    lowering = (f"executorch=={executorch}", f"torchao=={torchao}") if executorch else ()
    run(*pip, "--no-deps", f"torch=={torch}", *lowering)
    return python


def main(torch: str, executorch: str = "") -> None:
    targets = [WILD / f"torch-{torch}", *([WILD / f"executorch-{executorch}"] if executorch else [])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        python = install(folder, torch, executorch)
        libraries = folder / "libraries"
        libraries.mkdir()
        write_libraries(next((folder / "venv").glob("lib/python*/site-packages/torch")), libraries)
        paths = (str(python.parent), os.environ["PATH"])
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(libraries),
            "PATH": os.pathsep.join(paths),
        }
        # Compiled under its bare name, so that no stack trace names the folder that it is in.
        code = f"exec(compile(open({PROGRAMS!r}).read(), {PROGRAMS!r}, 'exec'))"
        for target in targets:
            shutil.rmtree(target, ignore_errors=True)
            command = [python, "-c", code, target]
            subprocess.run(command, cwd=Path(__file__).parent, env=environment, check=True)
            size = sum(path.stat().st_size for path in target.iterdir())
            print(f"{target.name}: {size:,} bytes")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
