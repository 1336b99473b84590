"""The layouts of archives: those of torch, ExecuTorch's ETRecord, and members that are refused by name.

A layout is recognized by its members, never by the name of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from exir_viz.errors import MalformedFile, UnknownFormat, UnsupportedVersion
from exir_viz.readers.archive.container import Container
from exir_viz.upgrade_hint import upgrade_hint

OLD: Final = "serialized_exported_program.json"
ETRECORD: Final = "ETRECORD_V0"
_ETRECORD_VERSION: Final = "ETRECORD_V"
_ETRECORD_PARTS: Final = ("_state_dict", "_constants", "_example_inputs")
_ETRECORD_MAPS: Final = frozenset(
    {"debug_handle_map", "delegate_map", "instruction_id_to_num_outs_map", "export_graph_id"}
)
_ETRECORD_PICKLES: Final = frozenset({"reference_outputs", "representative_inputs"})
_EDGE: Final = "edge_dialect_exported_program"
# torch numbers the layout of its archive apart from the schema of the program in it.
_ARCHIVE_VERSION: Final = b"0"


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a program's state lies: a config and a folder of storages, or a member that torch.save wrote."""

    config: str = ""
    folder: str = ""
    saved: str = ""


@dataclass(frozen=True, slots=True)
class Model:
    """The members of one program; empty names where it has none."""

    name: str
    program: str
    weights: Stored
    constants: Stored
    samples: str


@dataclass(frozen=True, slots=True)
class Layout:
    """What an archive holds: `type` is "pt2" or "etrecord"; `unread` is what is not read."""

    type: str
    models: tuple[Model, ...]
    order: Literal["<", ">"] = "<"
    unread: tuple[tuple[str, str], ...] = field(default=())


def recognise(container: Container) -> Layout:
    """The layout of an archive; raises UnknownFormat for one that holds no program."""
    if ETRECORD in container:
        return _etrecord(container)
    if OLD in container:
        return _old(container)
    if newer := next((name for name in container if name.startswith(_ETRECORD_VERSION)), ""):
        reason = f"it is an ETRecord of a version that this exir_viz does not read ({newer[:80]!r})"
        raise UnsupportedVersion(container.file, reason, hint=upgrade_hint())
    root = next(iter(container), "").partition("/")[0] + "/"
    models = tuple(_models(container, root))
    compiled = any(name.startswith(f"{root}data/aotinductor/") for name in container)
    if not models:
        raise _refusal(container, root, compiled)
    version = f"{root}archive_version"
    if version in container and container.read(version, 100) != _ARCHIVE_VERSION:
        raise UnsupportedVersion(
            container.file,
            "its archive is of a version that this exir_viz does not read",
            member=version,
            hint=upgrade_hint(),
        )
    unread = [("aotinductor", "The archive also holds code compiled by AOTInductor, which is not shown.")]
    order = f"{root}byteorder"
    big = order in container and container.read(order, 100) == b"big"
    return Layout("pt2", models, ">" if big else "<", tuple(unread) if compiled else ())


def _models(container: Container, root: str) -> Iterator[Model]:
    """torch 2.8 and later: models/NAME.json, with its weights beside it under data/."""
    for member in container:
        if not (member.startswith(f"{root}models/") and member.endswith(".json")):
            continue
        name = member[len(f"{root}models/") : -len(".json")]
        samples = f"{root}data/sample_inputs/{name}.pt"
        yield Model(
            name=name,
            program=member,
            weights=_stored(container, f"{root}data/weights/", name, "weights"),
            constants=_stored(container, f"{root}data/constants/", name, "constants"),
            samples=samples if samples in container else "",
        )


def _stored(container: Container, folder: str, name: str, what: str) -> Stored:
    saved = f"{folder}{name}.pt"
    if saved in container:
        return Stored(saved=saved)
    config = f"{folder}{name}_{what}_config.json"
    if config not in container:
        raise MalformedFile(container.file, f"the {what} of {name!r} are not listed in it", member=config)
    return Stored(config=config, folder=folder)


def _old(container: Container) -> Layout:
    """torch up to 2.7: one program, and its state in three archives that torch.save wrote."""

    def saved(what: str) -> str:
        names = (f"serialized_{what}.pt", f"serialized_{what}.json")
        return next((name for name in names if name in container), "")

    state, constants = Stored(saved=saved("state_dict")), Stored(saved=saved("constants"))
    return Layout("pt2", (Model("model", OLD, state, constants, saved("example_inputs")),))


def _etrecord(container: Container) -> Layout:
    """ExecuTorch's record of its stages: programs in its own copy of torch's schema."""
    models: list[Model] = []
    unread: list[tuple[str, str]] = []
    for member in container:
        if member == ETRECORD or member.endswith(_ETRECORD_PARTS):
            continue
        if member in _ETRECORD_MAPS or member in _ETRECORD_PICKLES:
            unread.append((member, f"The ETRecord's {member} is not shown."))
            continue
        name = "forward" if member == _EDGE else member.removeprefix(f"{_EDGE}/")
        state, constants, samples = (
            f"{member}{part}" if f"{member}{part}" in container else "" for part in _ETRECORD_PARTS
        )
        models.append(Model(name, member, Stored(saved=state), Stored(saved=constants), samples))
    if not models:
        raise UnknownFormat(container.file, "it is an ETRecord without a program")
    return Layout("etrecord", tuple(models), unread=tuple(unread))


def _refusal(container: Container, root: str, compiled: bool) -> UnknownFormat:
    if compiled:
        return UnknownFormat(
            container.file,
            "it is an AOTInductor package: compiled code, without the program's graph",
            hint="Save the original program with torch.export.save, and load that file.",
        )
    if f"{root}data.pkl" in container:
        return UnknownFormat(
            container.file,
            "it is from torch.save or torch.jit.save: weights or TorchScript, not an exported program",
            hint="Export the module with torch.export.export, and save the result with torch.export.save.",
        )
    names = ", ".join(name for name, _ in zip(container, range(4), strict=False)) or "nothing"
    return UnknownFormat(
        container.file,
        f"it is a zip archive without an exported program; it has {names}",
    )
