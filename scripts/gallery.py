"""Write docs/gallery.md and docs/gallery/*.exirviz: `python -m scripts.gallery`.

The programs of torch's exportdb that torch exports, each as a live figure, with torch's description of it and
how far it goes (the row of docs/dev/howfar.md).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

import exir_viz
from tests.corpus.programs import ROOT, exportdb, exported

FILE: Final = ROOT / "docs" / "gallery.md"
FOLDER: Final = ROOT / "docs" / "gallery"
HOW_FAR: Final = ROOT / "docs" / "dev" / "howfar.md"
HEAD: Final = """\
# Gallery: torch's own examples

See the small programs of torch's [exportdb](https://docs.pytorch.org/docs/stable/generated/exportdb/index.html)
as graphs, and [how far each goes](dev/howfar.md). On the documentation site the figures are live:
click a node, open a branch.
<!-- written by python -m scripts.gallery -->
"""
REASON: Final = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    parts = [HEAD]
    reached = how_far()
    for name, example in sorted(exportdb().items()):
        snapshot = exir_viz.load(exported(f"db:{name}"))
        snapshot.save(FOLDER / f"{name}.exirviz")
        parts.append(section(name, example, reached[name]))
    FILE.write_text("\n".join(parts), "utf-8")


def section(name: str, example: Any, reached: str) -> str:
    """One example: what torch says of it, its figure, and how far it goes."""
    said = inspect.cleandoc(example.model.__doc__ or "").partition("\n\n")[0]
    description = " ".join(said.split()) if said and not said.startswith("Base class") else ""
    return f"""\
## {name}

{_escaped(description)}

```{{exir-viz}} gallery/{name}.exirviz
:height: 340
:alt: The graph of {name}
```

{reached}
"""


def how_far() -> dict[str, str]:
    """By program, a sentence: which stages it reaches, and why it stops."""
    text = HOW_FAR.read_text("utf-8")
    reasons = dict(REASON.findall(text.partition("### Where they stop")[2]))
    rows = list(_rows(text.partition("### exportdb")[2].partition("\n### ")[0]))
    titles = [title.replace(", ", " → ") for title in rows[0][1:]]
    return {row[0].strip("`"): _sentence(titles, row[1:], reasons) for row in rows[2:]}


def _sentence(titles: list[str], marks: list[str], reasons: dict[str, str]) -> str:
    done = [title for title, mark in zip(titles, marks, strict=True) if mark == "✓"]
    stops = [(title, mark.strip("()")) for title, mark in zip(titles, marks, strict=True) if mark[0] == "("]
    text = f"**Reaches** {' · '.join(done)}."
    for number in dict.fromkeys(number for _, number in stops):
        there = " and ".join(title for title, one in stops if one == number)
        text += f" **Stops** at {there}: {reasons[number]}"
    return text


def _rows(table: str) -> Iterator[list[str]]:
    for line in table.splitlines():
        if line.startswith("|"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def _escaped(text: str) -> str:
    """Names such as __init__ are not bold; code stands as it is."""
    parts = text.split("`")
    return "`".join(part if at % 2 else re.sub(r"([_*<])", r"\\\1", part) for at, part in enumerate(parts))


if __name__ == "__main__":
    main()
