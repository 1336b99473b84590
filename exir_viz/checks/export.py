"""Findings as JSON for other programs, and as SARIF 2.1.0 for code hosts and editors."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec

from exir_viz.snapshot.printable import printable

from .records import Finding, Severity

if TYPE_CHECKING:
    from .findings import Findings

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def to_json(findings: Findings) -> str:
    """Counts, findings and verdicts, each record with all its fields."""
    plain = {
        "valid": findings.is_valid,
        "dialects": {name: dialect.value for name, dialect in findings.dialects.items()},
        "counts": {severity.value: count for severity, count in findings.counts.items()},
        "findings": [_whole(one) for one in findings],
        "unchecked": {rule.name: rule.why_unchecked for rule in findings.unchecked},
        "verdicts": [_whole(one) for one in findings.verdicts],
    }
    return json.dumps(plain, indent=1, ensure_ascii=False)


def _whole(record: msgspec.Struct) -> dict[str, Any]:
    """A record with every field, default values too."""
    return {name: msgspec.to_builtins(value) for name, value in msgspec.structs.asdict(record).items()}


def to_sarif(findings: Findings) -> str:
    """One run with the rules that were checked, and a result for each finding."""
    rules = [
        {
            "id": rule.name,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": f"{rule.title}. Stated in: {rule.section}."},
            "helpUri": rule.section.url,
            "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        }
        for rule in findings.rules
    ]
    run = {
        "tool": {
            "driver": {
                "name": "exir-viz",
                "informationUri": "https://pypi.org/project/exir-viz/",
                "rules": rules,
            }
        },
        "results": [_result(one, findings) for one in findings],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False)


def _uri(path: str) -> str:
    """A path as a reference: of its characters those may stay that have no meaning in one."""
    return quote(path.replace("\\", "/"), safe="/~")


def _message(text: str) -> str:
    """Text of a message, in which SARIF makes links of brackets that are not escaped."""
    return re.sub(r"[\[\]\\]", r"\\\g<0>", printable(text))


def _result(one: Finding, findings: Findings) -> dict[str, Any]:
    location: dict[str, Any] = {}
    if one.node:
        kind = {"name": one.node.rpartition("/")[2], "fullyQualifiedName": one.node, "kind": "member"}
        location["logicalLocations"] = [kind]
    file, _, line = one.source.rpartition(":")
    uri = file or findings.snapshot.origin.name
    if uri:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(uri)}}
        if file:
            place["region"] = {"startLine": int(line)}
        location["physicalLocation"] = place
    return {
        "ruleId": one.rule,
        "level": _LEVELS[one.severity],
        "message": {"text": _message(f"{one.message} {one.remedy}".strip())},
        **({"locations": [location]} if location else {}),
    }
