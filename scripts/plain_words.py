"""Checks of plain language in docstrings, comments, docs and commit subjects.

    python scripts/plain_words.py

Prints each place with an idiom of ours, each sentence of the docs that is too long to be read once, and each
subject that does not fit on a line of `git log`; exits with 1 if there is any.
"""

from __future__ import annotations

import ast
import io
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Idioms, and what to write instead.
IDIOMS = tuple(
    (re.compile(rf"\b({idiom})\b", re.IGNORECASE), better)
    for idiom, better in (
        (r"each other's", "matched"),
        (r"told apart|tells? apart", "distinguished"),
        (r"(is|are|was|were) told", "reported, shown, known"),
        (r"(is|are) gone", "removed, missing"),
        (r"stands? (for|in|on|by|beside|where|at)", "represents, is in, is at"),
        (r"numbers (that )?part|parts? (beyond|from)", "diverge"),
        (r"of (its|their) own accord|by (itself|themselves)", "alone, separately"),
        (r"from afar|in sight|into sight", "zoomed out, visible, into view"),
        (r"made (up|anew)", "generated, created again"),
        (r"the quiet half", "the fastest half"),
        (r"besides", "in addition, except"),
        (r"nobody|no one", "no user, no reader"),
        (r"whoever|lest", "the caller, so that … not"),
    )
)
# Only the newest: the subjects of older ones cannot be changed any more.
COMMITS = 20
LONGEST_SUBJECT = 72
LONGEST_SENTENCE = 40
_CODE = re.compile(r"`[^`]*`")
_NO_TEXT = re.compile(r"^(```|~~~).*?^\1|<!--.*?-->", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])[\"')*]*\s+")


def main() -> int:
    """Print what breaks a rule."""
    found = [*commit_subjects()]
    for path in sorted((ROOT / "exir_viz").rglob("*.py")):
        found += [f"{path.relative_to(ROOT)}:{one}" for one in python_idioms(path.read_text("utf-8"))]
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        found += [f"{path.relative_to(ROOT)}:{one}" for one in of_a_page(path.read_text("utf-8"))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


def commit_subjects() -> Iterator[str]:
    """Subjects of the last commits that are too long; none where there is no git."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return
    log = [git, "log", "--no-merges", f"--max-count={COMMITS}", "--format=%h %s"]
    found = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    for line in found.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > LONGEST_SUBJECT:
            yield f"commit {commit}: the subject has {len(subject)} characters, at most {LONGEST_SUBJECT} fit"


def python_idioms(source: str) -> Iterator[str]:
    """Docstrings and comments of a source with an idiom."""
    texts = [
        (node.body[0].lineno, ast.get_docstring(node, clean=False) or "")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body
    ]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    texts += [(one.start[0], one.string) for one in tokens if one.type == tokenize.COMMENT]
    for line, text in texts:
        yield from idioms(line, _CODE.sub("code", " ".join(text.split())))


def of_a_page(markdown: str) -> Iterator[str]:
    """Idioms and long sentences of a page; code blocks aside, and tables for sentences."""
    text = _NO_TEXT.sub(lambda found: "\n" * found[0].count("\n"), markdown)
    start, paragraph = 1, ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        is_code = line.startswith("    ") and not paragraph
        if not is_code:
            yield from idioms(number, _CODE.sub("code", line))
        is_text = bool(line.strip()) and not is_code and not line.lstrip().startswith(("#", "|"))
        if not is_text or _ITEM.match(line):
            yield from long_sentences(start, paragraph)
            paragraph = ""
        if is_text:
            start = start if paragraph else number
            paragraph += _ITEM.sub("", line, count=1) if not paragraph else f" {line.strip()}"


def idioms(line: int, text: str) -> Iterator[str]:
    for idiom, better in IDIOMS:
        if found := idiom.search(text):
            yield f"{line}: {found[0]!r}: write {better}"


def long_sentences(line: int, paragraph: str) -> Iterator[str]:
    """The sentences that have too many words; a piece of code is one word."""
    for sentence in _SENTENCE_END.split(_LINK.sub(r"\1", _CODE.sub("code", paragraph))):
        words = sentence.split()
        if len(words) > LONGEST_SENTENCE:
            yield f"{line}: {len(words)} words, at most {LONGEST_SENTENCE}: {' '.join(words[:8])} …"


if __name__ == "__main__":
    sys.exit(main())
