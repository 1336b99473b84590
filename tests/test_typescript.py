"""The TypeScript of the schema follows the Python: what is committed is what would be written."""

from pathlib import Path

import pytest

from exir_viz.typescript.__main__ import main


def test_what_is_committed_is_what_would_be_written() -> None:
    assert main(["--check"]) == 0


def test_drift_is_reported_with_the_file_the_line_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], tmp_path) == 0
    schema = tmp_path / "snapshot/schema.ts"
    schema.write_text(schema.read_text().replace("export const SCHEMA = ", "export const SCHEMA = 9"))
    (tmp_path / "snapshot/tables.ts").unlink()
    assert main(["--check"], tmp_path) == 1
    said = capsys.readouterr().err
    assert "schema.ts differs from line 6 on: run python -m exir_viz.typescript" in said
    assert "tables.ts is missing" in said


def test_a_field_left_out_by_default_is_optional_and_a_union_is_distinguished_by_kind(tmp_path: Path) -> None:
    main([], tmp_path)
    schema = (tmp_path / "snapshot/schema.ts").read_text()
    assert "  readonly stride?: readonly Dim[];" in schema
    assert "  readonly dtype: string;" in schema
    assert '  readonly kind: "tensor";' in schema
    assert "export type Value = TensorValue | SymValue | Literal" in schema
