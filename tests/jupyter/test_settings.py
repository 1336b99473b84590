"""The settings of JupyterLab's extension."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

translation = pytest.importorskip("jupyterlab_server.translation_utils")

SETTINGS = Path(__file__).resolve().parents[2] / "labextension" / "schema" / "settings.json"
# What a user reads of a schema.
TEXTS = ("title", "description")


class Bundle:
    """Marks what it translates."""

    def pgettext(self, _context: str, text: str) -> str:
        return f"«{text}»"


def test_jupyterlab_translates_every_text_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []

    def load(domain: str) -> Bundle:
        loaded.append(domain)
        return Bundle()

    monkeypatch.setattr(translation.translator, "_LOCALE", "de_DE")
    monkeypatch.setattr(translation.translator, "load", load)
    schema = json.loads(SETTINGS.read_text("utf-8"))
    translated = translation.translator.translate_schema(schema)
    assert loaded == ["exir_viz"]
    found = list(texts(translated))
    assert len(found) > 10
    assert [text for text in found if not text.startswith("«")] == []


def texts(schema: object) -> Iterator[str]:
    """The titles and descriptions of a schema, at any depth."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in TEXTS and isinstance(value, str):
                yield value
            yield from texts(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from texts(each)
