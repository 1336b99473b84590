"""The check of plain language: what it must find, and what it must let pass."""

from __future__ import annotations

import importlib.util
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("plain_words", ROOT / "scripts" / "plain_words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def git(folder: Path, *args: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True)


def test_a_vague_file_name_is_found(check: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "exir_viz").mkdir()
    for name in ("told.py", "told.json", "stage_record.py"):
        (tmp_path / "exir_viz" / name).touch()
    found = list(check.file_names(tmp_path))
    assert [line.partition(":")[0] for line in found] == ["exir_viz/told.py"]


def test_a_vague_name_is_found(check: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "exir_viz").mkdir()
    lines = (
        "class Heard: ...",
        "def toldish(x): ...",
        "def f(held): ...",
        "NOTHING_TOLD = 1",
        "class A:",
        "    is_parted: bool",
        "    def __init__(self):",
        "        self.untold_inputs = [unheld for unheld in 'ab']",
        "from a import b as kin, held",
        "GONE = print(told.held)",
    )
    (tmp_path / "exir_viz" / "a.py").write_text("\n".join(lines))
    found = [line.partition(":")[2].split()[:3] for line in check.python_names(tmp_path)]
    names = ["Heard", "held", "NOTHING_TOLD", "is_parted", "unheld", "untold_inputs", "kin"]
    places = ["1:", "3:", "4:", "6:", "8:", "8:", "9:"]
    assert found == [[place, "name", name] for place, name in zip(places, names, strict=True)]


def test_an_idiom_and_a_question_are_found(check: ModuleType, tmp_path: Path) -> None:
    idiom = '"""Two nodes are each\nother\'s."""\n\n\n'
    question = 'def f():\n    """Is it?"""\n    return 1  # it stands for g\n\n\n'
    fine = '# `each other\'s` in code\ndef g():\n    """Whether it is."""\n    return "each other\'s"\n'
    (tmp_path / "exir_viz").mkdir()
    (tmp_path / "exir_viz" / "a.py").write_text(idiom + question + fine)
    found = sorted(int(line.split(":")[1]) for line in check.python_texts(tmp_path))
    assert found == [1, 6, 7]


def test_a_noun_that_is_always_plural_is_found(check: ModuleType, tmp_path: Path) -> None:
    for folder in ("exir_viz", "labextension/src"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "exir_viz" / "a.py").write_text(
        'f"{count:,} calls"\nf"{len(x)} more nodes"\nf"{plural(count, \'call\')} of {node.name} calls"\n'
        'f"at most {limits.MOST_NODES:,} nodes"\n'
    )
    (tmp_path / "labextension" / "src" / "a.ts").write_text(
        'const a = `${grouped(count)} ops`;\nconst b = `${plural(count, "op")}`;\n'
    )
    found = [":".join(line.split(":")[:2]) for line in check.counted_nouns(tmp_path)]
    assert found == ["exir_viz/a.py:1", "exir_viz/a.py:2", "labextension/src/a.ts:1"]


def test_idioms_names_and_long_sentences_of_typescript_are_found(check: ModuleType, tmp_path: Path) -> None:
    long = " ".join(["word"] * (check.LONGEST_SENTENCE + 1))
    source = f"""/** Where it stands. */
const url = "https://example.org"; // told of it
/**
 * Short.
 * {long}.
 */
function goneEdges(): void {{}}
// biome-ignore lint/a: it stands there
// `stands` in code
const stands = "it stands";
  it("stands", () => undefined);
])("told", () => undefined);
  test.each([[1]])("is %s", () => undefined);
"""
    (tmp_path / "labextension" / "src").mkdir(parents=True)
    (tmp_path / "labextension" / "src" / "a.ts").write_text(source)
    (tmp_path / "labextension" / "src" / "schema.ts").write_text(source)
    found = sorted(int(line.split(":")[1]) for line in check.typescript(tmp_path))
    assert found == [1, 2, 3, 7, 11, 12]


def test_a_vague_name_of_typescript_is_found(check: ModuleType) -> None:
    source = """const told = "held";
function f({ held: inner, isGone }: A, untold = `${heard} said`): void {} // asked
interface A { readonly twin: string; private held(): void; }
const TEXTS = { gone: "removed", asked: 1 };
const pattern = /parted/;
const text = `said
`; const kin = 1;
"""
    found = [(line, name) for line, name in check.typescript_names(source) if check._is_vague(name)]
    names = ["told", "held", "isGone", "untold", "heard", "twin", "asked", "kin"]
    assert found == list(zip([1, 2, 2, 2, 2, 3, 4, 7], names, strict=True))


def test_a_long_subject_is_found(check: ModuleType, tmp_path: Path) -> None:
    assert list(check.commit_subjects(tmp_path)) == []  # no git here
    git(tmp_path, "init", "-q")
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x" * check.LONGEST_SUBJECT)
    assert list(check.commit_subjects(tmp_path)) == []
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "x" * (check.LONGEST_SUBJECT + 1))
    assert len(list(check.commit_subjects(tmp_path))) == 1


def test_a_long_sentence_is_found(check: ModuleType, tmp_path: Path) -> None:
    long = " ".join(["word"] * (check.LONGEST_SENTENCE + 1))
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(f"# {long}\n\n| {long} |\n\n```\n{long}\n```\n\n    {long}\n")
    assert list(check.long_sentences(tmp_path)) == []
    (tmp_path / "docs" / "page.md").write_text(f"Short. {long}.\n\n- {long}\n- short\n")
    found = list(check.long_sentences(tmp_path))
    assert [line.split(":")[:2] for line in found] == [["docs/page.md", "1"], ["docs/page.md", "3"]]


def test_lines_of_a_paragraph_belong_together(check: ModuleType) -> None:
    text = "One `a b c`\nand [two](https://example.org/a). Three.\n\n1. four\n   five\n"
    assert list(check.sentences(text)) == [(1, "One code and two."), (1, "Three."), (4, "four five")]


def test_an_idiom_of_the_docs_and_a_long_glossary_are_found(check: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "docs" / "howto").mkdir(parents=True)
    (tmp_path / "README.md").write_text("`nobody`\n\n    nobody\n\n```\nnobody\n```\n")
    (tmp_path / "docs" / "howto" / "page.md").write_text("Good.\n\nNobody knows.\n")
    assert [line.rpartition(": ")[0] for line in check.docs_idioms(tmp_path)] == [
        "docs/howto/page.md:3: 'Nobody'"
    ]
    assert list(check.glossary(tmp_path)) == []
    for count, found in ((check.MOST_TERMS, 0), (check.MOST_TERMS + 1, 1)):
        (tmp_path / "docs" / "glossary.md").write_text("| **a** | b |\n" * count)
        assert len(list(check.glossary(tmp_path))) == found
