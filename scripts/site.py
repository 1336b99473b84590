"""Build the static site: drop a file on it, and it is read in the browser's tab.

    python -m scripts.site                   into dist/site
    python -m scripts.site FOLDER            into another folder, which is replaced
    python -m scripts.site --no-samples      without programs to try

What enters: the front end's scripts (`make build`), Pyodide of node_modules, this checkout's package, and the
wheels of what it requires, which pip downloads. What leaves: a folder that any web server can serve as it is.
Nothing in it asks another server for anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
SCRIPTS: Final = ROOT / "labextension" / "lib" / "site"
PYODIDE: Final = ROOT / "labextension" / "node_modules" / "pyodide"
# What Pyodide fetches; its lock names packages that nobody here loads, and is written anew without them.
RUNTIME: Final = ("pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK: Final = "pyodide-lock.json"
PACKAGES: Final = "exir_viz.zip"
# What `to_html` puts into a page.
OF_A_PAGE: Final = ("page.js", "explorer.css")
PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="See torch.export and ExecuTorch programs in a browser tab">
<script src="policy.js"></script>
<title>exir_viz</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="site.css">
<script type="module" src="site.js"></script>
</head>
<body>
<noscript>This page reads files with scripts, and scripts are switched off here.</noscript>
</body>
</html>
"""
ICON: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="#1976d2">
<rect x="5" y="1" width="6" height="4" rx="1"/><rect x="1" y="11" width="6" height="4" rx="1"/>
<rect x="9" y="11" width="6" height="4" rx="1"/><path d="M7.5 5h1v2.5H12.5V11h-1V8.5h-7V11h-1V7.5h4z"/>
</svg>
"""
# For READMEs: `[![Open in exir_viz](https://your.site/badge.svg)](https://your.site/?url=https://host/model.pt2)`
BADGE: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" width="128" height="20" role="img" aria-label="Open in exir_viz">
<title>Open in exir_viz</title>
<rect width="128" height="20" rx="3" fill="#1565c0"/>
<g fill="#fff"><rect x="8" y="4" width="6" height="4" rx="1"/><rect x="4" y="13" width="5" height="3" rx="1"/>
<rect x="13" y="13" width="5" height="3" rx="1"/><path d="M10.5 8h1v2H15v3h-1v-2H8v2H7v-3h3.5z"/>
<text x="24" y="14" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11"
 textLength="98">Open in exir_viz</text></g>
</svg>
"""


class CannotBuild(Exception):
    """What is missing, and the command that brings it."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "dist" / "site")
    parser.add_argument("--no-samples", action="store_true", help="without programs to try")
    given = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as downloads:
            build(given.folder, wheels(Path(downloads)), () if given.no_samples else SAMPLES)
    except CannotBuild as problem:
        sys.exit(str(problem))
    size = sum(file.stat().st_size for file in given.folder.rglob("*") if file.is_file())
    print(f"{given.folder}: {size / 1e6:.1f} MB. To look at it: python -m http.server -d {given.folder}")


# Programs to try: the name of a corpus program, whether it is lowered, and what a visitor reads.
SAMPLES: Final = (
    ("resnet50", False, "ResNet-50, exported"),
    ("llama32", False, "Llama 3.2, exported"),
    ("llama32", True, "Llama 3.2, on XNNPACK"),
)


def build(folder: Path, wheels: Iterable[Path], samples: Iterable[tuple[str, bool, str]] = ()) -> None:
    """Write the site to `folder`, in place of what is there. `wheels`: those of `wheels`."""
    for part in (SCRIPTS, PYODIDE):
        if not part.is_dir():
            raise CannotBuild(f"{part.relative_to(ROOT)} is missing. Run: make build")
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / "python"
    python.mkdir(parents=True)
    for name in ("pyodide.mjs", *RUNTIME):
        shutil.copyfile(PYODIDE / name, python / name)
    lock = json.loads((PYODIDE / LOCK).read_text("utf-8"))
    (python / LOCK).write_text(json.dumps({"info": lock["info"], "packages": {}}), "utf-8")
    _pack(python / PACKAGES, wheels)
    for script in ("site.js", "site.css", "policy.js"):
        shutil.copyfile(SCRIPTS / script, folder / script)
    (folder / "index.html").write_text(PAGE, "utf-8")
    (folder / "icon.svg").write_text(ICON, "utf-8")
    (folder / "badge.svg").write_text(BADGE, "utf-8")
    shown = list(save_samples(folder, samples))
    offline = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    version = _digest(folder, offline)
    # Python is loaded through `fetch`, the modules that it is called from are not: they have no progress.
    fetched = (*(name for name in RUNTIME if not name.endswith(".mjs")), LOCK, PACKAGES)
    site = {
        "version": version,
        "reader": {f"python/{name}": (python / name).stat().st_size for name in fetched},
        "offline": ["./", "site.json", *(name for name in offline if name != "index.html")],
        "samples": shown,
    }
    (folder / "site.json").write_text(json.dumps(site), "utf-8")
    worker = (SCRIPTS / "service_worker.js").read_text("utf-8")
    (folder / "service_worker.js").write_text(f"self.VERSION={json.dumps(version)};\n{worker}", "utf-8")


def wheels(folder: Path, packages: Sequence[str] = ()) -> list[Path]:
    """Download packages, by default those of the base install, and what they require, for Pyodide."""
    info = json.loads((PYODIDE / LOCK).read_text("utf-8"))["info"]
    version = info["python"].rpartition(".")[0]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = packages or project["dependencies"]
    command = (
        *(sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:"),
        *("--platform", f"pyemscripten_{info['abi_version']}_wasm32", "--platform", "any"),
        *("--implementation", "cp", "--python-version", version, "--abi", f"cp{version.replace('.', '')}"),
        *("--abi", "none", "--disable-pip-version-check", "--dest", str(folder), *wanted),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1]
        raise CannotBuild(f"pip cannot download {', '.join(wanted)} for Pyodide: {reason}")
    return sorted(folder.glob("*.whl"))


def _pack(archive: Path, wheels: Iterable[Path]) -> None:
    """The package of this checkout, with its page's script and style, and what it requires."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as unpacked:
                for name in unpacked.namelist():
                    _add(packed, name, unpacked.read(name))
        for file in _package_files():
            _add(packed, file.relative_to(ROOT).as_posix(), file.read_bytes())


def _package_files() -> Iterator[Path]:
    """All of the package but what was built for notebooks and JupyterLab."""
    package = ROOT / "exir_viz"
    built = (package / "widget" / "static", package / "labextension")
    for file in sorted(package.rglob("*")):
        is_built = any(folder in file.parents for folder in built)
        if file.is_file() and "__pycache__" not in file.parts and (not is_built or file.name in OF_A_PAGE):
            yield file


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Always with the same time: the same files are the same archive."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content)


def save_samples(folder: Path, samples: Iterable[tuple[str, bool, str]]) -> Iterator[dict[str, str]]:
    """Save each program below `folder` as "samples/NAME.exirviz"; its path and title, for the front page."""
    for name, is_lowered, title in samples:
        import exir_viz
        from tests.corpus.programs import archive, exported

        path = f"samples/{name}.xnnpack.exirviz" if is_lowered else f"samples/{name}.exirviz"
        (folder / path).parent.mkdir(exist_ok=True)
        if is_lowered:
            session = exir_viz.Session(exported(name))
            snapshot = session.root.backend("xnnpack").snapshot
        else:
            snapshot = exir_viz.load(archive(name))
        snapshot.save(folder / path)
        yield {"path": path, "title": title}


def _digest(folder: Path, names: Iterable[str]) -> str:
    """Of the path and the bytes of every file."""
    digest = hashlib.sha256()
    for name in names:
        content = (folder / name).read_bytes()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    main()
