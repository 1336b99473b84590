"""Checks of plain language: names, docstrings, comments and tests, commit subjects, sentences of docs.

    python scripts/plain_words.py

Names are nouns that a newcomer would search for. Docstrings and comments avoid old idioms, and say "Whether
…" instead of asking a question. A commit subject fits on one line of `git log`. A sentence of the docs and
of a TypeScript comment is short enough to be read once. A count has a noun that fits: "1 call". Prints each
place that breaks a rule, and exits with 1.
"""

from __future__ import annotations

import ast
import functools
import io
import re
import shutil
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("exir_viz", "labextension/src", "scripts")
SUFFIXES = (".py", ".ts", ".tsx")
TYPESCRIPT = ("labextension/src", "labextension/tests", "labextension/gallery")
# Generated from Python, whose docstrings are checked there.
GENERATED = ("schema.ts", "messages.ts", "tables.ts")
# Participles, adverbs and metaphors: none of them says what is in a file.
VAGUE_NAMES = frozenset(
    [
        "afar",
        "alone",
        "answering",
        "apart",
        "asked",
        "beside",
        "carried",
        "gaze",
        "handed",
        "heard",
        "held",
        "ink",
        "keep",
        "later",
        "mates",
        "offers",
        "overheard",
        "paired",
        "parcel",
        "parted",
        "parting",
        "quiet",
        "seats",
        "shown",
        "sight",
        "taken",
        "told",
        "together",
        "unheld",
        "untold",
        "veil",
        "waiting",
        "words",
    ]
)
# Files that still have such a name. Remove an entry when its file is renamed; add none.
TO_RENAME = frozenset({})

# Words that no function, class, field, parameter or variable has in its name: say what it returns or holds.
VAGUE_WORDS = frozenset(
    [
        "afar",
        "asked",
        "beside",
        "gaze",
        "gone",
        "handed",
        "heard",
        "held",
        "kin",
        "likest",
        "mates",
        "parted",
        "parting",
        "said",
        "told",
        "twin",
        "unheld",
        "untold",
        "veil",
    ]
)
# `ValueOutcome.GONE` is a value of the file format.
VAGUE_NAMES_KEPT = frozenset(["GONE"])
# Idioms of ours, and what to write instead.
IDIOMS = (
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
# Idioms of TypeScript comments and test names, too.
TYPESCRIPT_IDIOMS = (
    *IDIOMS,
    (r"stands?|stood", "is, is placed, is shown"),
    (r"tells? (of|that|which|what)|told", "shows, reports"),
    (r"hears?|heard", "is called, handles, receives"),
    (r"eats?|eaten", "uses"),
    (r"anew|betimes", "again"),
    (r"looked at", "selected, visible"),
    (r"(a|its|the|of) (mind|twin|mate|kin|ghost)s?", "controller, counterpart, relative, removed node"),
)

COMMITS = 20
LONGEST_SUBJECT = 72
LONGEST_SENTENCE = 40
MOST_TERMS = 12
# What is counted in programs, in the plural.
THINGS = (
    "calls",
    "delegates",
    "matches",
    "methods",
    "modules",
    "nodes",
    "notices",
    "ops",
    "pairs",
    "parameters",
    "parts",
    "symbols",
    "values",
)
COUNTED = re.compile(rf" (?:more )?({'|'.join(THINGS)})\b")
ALWAYS_PLURAL = 'use plural(count, noun), which says "1 call"'

_IDIOMS, _TYPESCRIPT_IDIOMS = (
    tuple((re.compile(rf"\b({idiom})\b", re.IGNORECASE), better) for idiom, better in idioms)
    for idioms in (IDIOMS, TYPESCRIPT_IDIOMS)
)
# A comment on lines of its own, or one behind code.
_TYPESCRIPT_COMMENT = re.compile(
    r"^[ \t]*(?P<own>//.*(?:\n[ \t]*//.*)*|/\*[\s\S]*?\*/)|[;,{}()\[\]] // (?P<behind>.*)$", re.MULTILINE
)
_TYPESCRIPT_TEST = re.compile(
    r"^[ \t]*(?:(?:test|it|describe)(?:\.\w+)*(?:\(.*\))?|[\]}].*\))\(\"(?P<name>[^\"\n]+)\"", re.MULTILINE
)
# Comments, texts and patterns, in which no name is defined; the quotes of a text stay.
_TYPESCRIPT_TEXT = re.compile(
    r"//.*|/\*[\s\S]*?\*/|(?<=\")(?:[^\"\\\n]|\\.)*(?=\")|(?<=[(=,:] )/(?:[^/\\\n]|\\.)+/[a-z]*"
)
_TYPESCRIPT_TEMPLATE = re.compile(r"`(?:[^`\\]|\\.)*`")
_TYPESCRIPT_VALUE = re.compile(r"\$\{([^}]*)\}")
# A name; not a key of a table of texts, which may be a value of the file format.
_TYPESCRIPT_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!: \"\")")
_MARKS = re.compile(r"^[ \t]*(?://|/?\*+/?)|\*/$", re.MULTILINE)
_DIRECTIVE = re.compile(r"biome-ignore|@vitest-environment|^\s*---")
_WORDS_OF_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_CODE_BLOCK = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"`[^`]*`")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")
_TYPESCRIPT_COUNTED = re.compile(rf"\$\{{grouped\([^)]*\)+\}} ({'|'.join(THINGS)})\b")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])[\"')*]*\s+")


def main() -> int:
    """Print what breaks a rule."""
    found = [
        *file_names(ROOT),
        *python_names(ROOT),
        *python_texts(ROOT),
        *typescript(ROOT),
        *counted_nouns(ROOT),
        *commit_subjects(ROOT),
        *long_sentences(ROOT),
        *docs_idioms(ROOT),
        *glossary(ROOT),
    ]
    for line in found:
        print(line)
    return 1 if found else 0


def file_names(root: Path) -> Iterator[str]:
    """Source files whose name says nothing about what is in them."""
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix in SUFFIXES and path.stem in VAGUE_NAMES and name not in TO_RENAME:
                yield f"{name}: name the file for what is in it, with a noun"


def python_names(root: Path) -> Iterator[str]:
    """Functions, classes, fields, parameters and variables of the package with a word that says nothing."""
    for path in sorted((root / "exir_viz").rglob("*.py")):
        where = path.relative_to(root).as_posix()
        for line, name in sorted(_defined(_nodes(path))):
            if _is_vague(name):
                yield f"{where}:{line}: name {name} after what it returns or holds"


def _is_vague(name: str) -> bool:
    words = {word.lower() for word in _WORDS_OF_NAME.findall(name)}
    return name not in VAGUE_NAMES_KEPT and bool(words & VAGUE_WORDS)


@functools.cache
def _nodes(path: Path) -> tuple[Any, ...]:
    """All nodes of a Python source, which several rules read."""
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


def _defined(nodes: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """Each name that a source defines or assigns, with its line."""
    for node in nodes:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr
            case ast.alias(asname=str(name)):
                yield node.lineno, name


def python_texts(root: Path) -> Iterator[str]:
    """Docstrings and comments of the package with an idiom of ours, and docstrings that ask a question."""
    for path in sorted((root / "exir_viz").rglob("*.py")):
        name, docstrings = path.relative_to(root).as_posix(), list(_docstrings(_nodes(path)))
        for line, text in [*docstrings, *_comments(path.read_text("utf-8"))]:
            plain = _CODE.sub("code", " ".join(text.split()))
            for idiom, better in _IDIOMS:
                if found := idiom.search(plain):
                    yield f"{name}:{line}: {found[0]!r}: write {better}"
        for line, text in docstrings:
            if text.strip().partition("\n")[0].endswith("?"):
                yield f"{name}:{line}: a docstring says what it returns: Whether …"


def typescript(root: Path) -> Iterator[str]:
    """Comments and test names with an idiom of ours or a long sentence, and names that say nothing."""
    for path in sorted(path for folder in TYPESCRIPT for path in (root / folder).rglob("*.ts*")):
        if path.name in GENERATED:
            continue
        name, source = path.relative_to(root).as_posix(), path.read_text("utf-8")
        for at, text in typescript_texts(source):
            where = f"{name}:{source.count(chr(10), 0, at) + 1}"
            for idiom, better in _TYPESCRIPT_IDIOMS:
                if found := idiom.search(text):
                    yield f"{where}: {found[0]!r}: write {better}"
            for sentence in _split(text):
                if len(words := sentence.split()) > LONGEST_SENTENCE:
                    start = " ".join(words[:8])
                    yield f"{where}: {len(words)} words, at most {LONGEST_SENTENCE}: {start} …"
        for line, one in typescript_names(source):
            if _is_vague(one):
                yield f"{name}:{line}: name {one} after what it returns or holds"


def typescript_names(source: str) -> Iterator[tuple[int, str]]:
    """Each name in the code of a source, with the first line that has it."""
    code = _TYPESCRIPT_TEXT.sub(lambda found: "\n" * found[0].count("\n"), source)
    code = _TYPESCRIPT_TEMPLATE.sub(
        lambda found: " ".join([*_TYPESCRIPT_VALUE.findall(found[0]), "\n" * found[0].count("\n")]), code
    )
    seen: set[str] = set()
    for line, text in enumerate(code.splitlines(), 1):
        for found in _TYPESCRIPT_NAME.finditer(text):
            if found[0] not in seen:
                seen.add(found[0])
                yield line, found[0]


def typescript_texts(source: str) -> Iterator[tuple[int, str]]:
    """The comments and test names of a source as plain text, with their positions."""
    for found in _TYPESCRIPT_COMMENT.finditer(source):
        text = found["own"] or found["behind"]
        if not _DIRECTIVE.search(text):
            yield found.start(), _CODE.sub("code", " ".join(_MARKS.sub("", text).split()))
    for found in _TYPESCRIPT_TEST.finditer(source):
        yield found.start("name"), found["name"]


def _docstrings(nodes: Iterable[Any]) -> Iterator[tuple[int, str]]:
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text is not None:
                yield node.body[0].lineno, text


def _comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def counted_nouns(root: Path) -> Iterator[str]:
    """Counts with a noun that is always plural: "1 calls"."""
    for file in sorted((root / "exir_viz").rglob("*.py")):
        for node in _nodes(file):
            parts = node.values if isinstance(node, ast.JoinedStr) else []
            for count, text in pairwise(parts):
                if not (isinstance(count, ast.FormattedValue) and isinstance(text, ast.Constant)):
                    continue
                counts = count.format_spec is not None or isinstance(count.value, ast.Call | ast.BinOp)
                limit = ast.unparse(count.value).rpartition(".")[2].isupper()
                if counts and not limit and (found := COUNTED.match(text.value)):
                    yield f"{file.relative_to(root)}:{node.lineno}: {found[1]}: {ALWAYS_PLURAL}"
    for file in sorted((root / "labextension" / "src").rglob("*.ts*")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            if found := _TYPESCRIPT_COUNTED.search(line):
                yield f"{file.relative_to(root)}:{number}: {found[1]}: {ALWAYS_PLURAL}"


def commit_subjects(root: Path) -> Iterator[str]:
    """Subjects of the last commits that are too long; none where there is no git."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return
    log = [git, "log", "--no-merges", f"--max-count={COMMITS}", "--format=%h %s"]
    found = subprocess.run(log, cwd=root, capture_output=True, text=True, check=False)
    for line in found.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > LONGEST_SUBJECT:
            yield f"commit {commit}: the subject has {len(subject)} characters, at most {LONGEST_SUBJECT} fit"


def long_sentences(root: Path) -> Iterator[str]:
    """Sentences of the README and the docs that have too many words."""
    for path in _docs(root):
        for line, sentence in sentences(path.read_text("utf-8")):
            words = len(sentence.split())
            if words > LONGEST_SENTENCE:
                where = path.relative_to(root).as_posix()
                start = " ".join(sentence.split()[:8])
                yield f"{where}:{line}: {words} words, at most {LONGEST_SENTENCE}: {start} …"


def docs_idioms(root: Path) -> Iterator[str]:
    """Lines of the README and the docs with an idiom of ours."""
    for path in _docs(root):
        text = path.read_text("utf-8")
        for pattern in (_CODE_BLOCK, _COMMENT):
            text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
        for number, line in enumerate(text.splitlines(), 1):
            plain = _CODE.sub("code", line)
            for idiom, better in _IDIOMS:
                if not line.startswith("    ") and (found := idiom.search(plain)):
                    yield f"{path.relative_to(root).as_posix()}:{number}: {found[0]!r}: write {better}"


def glossary(root: Path) -> Iterator[str]:
    """More terms of our own than a reader can remember."""
    path = root / "docs" / "glossary.md"
    terms = re.findall(r"^\| \*\*", path.read_text("utf-8"), re.MULTILINE) if path.is_file() else []
    if len(terms) > MOST_TERMS:
        yield f"docs/glossary.md: {len(terms)} terms, at most {MOST_TERMS}: use a word of the field instead"


def _docs(root: Path) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def sentences(markdown: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text with the line where their paragraph starts; code blocks and tables aside."""
    for pattern in (_CODE_BLOCK, _COMMENT):
        markdown = pattern.sub(lambda found: "\n" * found[0].count("\n"), markdown)
    start, paragraph = 1, ""
    for number, line in enumerate([*markdown.splitlines(), ""], 1):
        is_code = line.startswith("    ") and not paragraph
        is_text = bool(line.strip()) and not is_code and not line.lstrip().startswith(("#", "|"))
        if not is_text or _ITEM.match(line):
            yield from ((start, one) for one in _split(paragraph))
            paragraph = ""
        if is_text:
            start = start if paragraph else number
            paragraph += _ITEM.sub("", line, count=1) if not paragraph else f" {line.strip()}"


def _split(paragraph: str) -> list[str]:
    """A paragraph as sentences; a piece of code is one word."""
    plain = _LINK.sub(r"\1", _CODE.sub("code", paragraph))
    return [one for one in _SENTENCE_END.split(plain) if one.strip()]


if __name__ == "__main__":
    sys.exit(main())
