"""One program of an archive → one method of a Snapshot."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

import msgspec

from exir_viz.errors import FileError, MalformedFile, UnsupportedVersion
from exir_viz.readers.archive import limits
from exir_viz.readers.archive.arguments import ArgumentReader
from exir_viz.readers.archive.container import Container
from exir_viz.readers.archive.context import Budget, MemberPlace, brief, check_separators, quote_numbers
from exir_viz.readers.archive.layouts import Model, Stored
from exir_viz.readers.archive.metadata import MetadataReader
from exir_viz.readers.archive.method import MethodReader
from exir_viz.readers.archive.pickles import PickleError
from exir_viz.readers.archive.sample_inputs import count_leaves, sample_leaves
from exir_viz.readers.archive.schema import GraphArgument, Head, Program
from exir_viz.readers.archive.signature import SignatureReader
from exir_viz.readers.archive.state import StateReader
from exir_viz.readers.archive.tensors import Saved
from exir_viz.readers.archive.values import EXIR_DTYPES
from exir_viz.readers.checksums import Allowance
from exir_viz.readers.pytrees import user_paths
from exir_viz.snapshot.build import Interner, SnapshotBuilder
from exir_viz.snapshot.program import (
    Dialect,
    Example,
    MethodDetail,
    MethodRecord,
    Signature,
    StateEntry,
    Tree,
)
from exir_viz.upgrade_hint import upgrade_hint

# The schema of `executorch.exir.save`, and of an ETRecord.
EXIR_MAJOR: Final = 5
# By major version: the newest minor one that the tests read. A later one may only add to it.
NEWEST_MINOR: Final = {8: 20, EXIR_MAJOR: 4}
DIALECTS: Final = {"TRAINING": Dialect.ATEN_TRAINING, "ATEN": Dialect.ATEN, "EDGE": Dialect.EDGE}
_program: Final = msgspec.json.Decoder(Program)
_head: Final = msgspec.json.Decoder(Head)


class ModelReader:
    """Reads the programs of one archive into one builder."""

    def __init__(
        self,
        container: Container,
        builder: SnapshotBuilder,
        majors: frozenset[int],
        dtypes: dict[int, str],
        order: Literal["<", ">"],
    ) -> None:
        """`majors` are the versions of the schema that are read."""
        self._container = container
        self._builder = builder
        self._majors = majors
        self._dtypes = dtypes
        self._order: Literal["<", ">"] = order
        self._metadata = MetadataReader(builder)
        self._budget = Budget()
        self.allowance = Allowance()
        self._storages: Interner[object] = Interner()

    def read(self, model: Model, name: str) -> Program:
        """Add a method of that name."""
        place = MemberPlace(self._container.file, model.program, self._budget)
        program = self._decode(place)
        if not _is_newer(program):
            self._read(model, name, place, program)
            return program
        self._builder.notice("schema", f"{_newer_text(program)}. New fields are not shown. {upgrade_hint()}")
        try:
            self._read(model, name, place, program)
        except MalformedFile as error:
            reason = f"{error.reason}. {_newer_text(program)}"
            raise UnsupportedVersion(place.file, reason, member=error.member, hint=upgrade_hint()) from error
        return program

    def _read(self, model: Model, name: str, place: MemberPlace, program: Program) -> None:
        dtypes = self._dtypes | EXIR_DTYPES if by_executorch(program) else self._dtypes
        module = program.graph_module
        names = [
            next((body.name or "" for body in spec.values()), "") for spec in module.signature.input_specs
        ]
        method = MethodReader(self._builder, place, self._metadata, dtypes, names)
        graph = method.read(module.graph, name)
        graph.meta = tuple(sorted({*module.metadata, "treespec_namedtuple_fields"}))
        reader = SignatureReader(
            place,
            ArgumentReader(place, method.constants, _no_graph(place)),
            {cls: named.field_names for cls, named in module.treespec_namedtuple_fields.items()},
        )
        calls = reader.calls(module)
        root = next((call.signature for call in calls if call.path == "" and call.signature), None)
        in_paths = user_paths(root.in_spec, root.arg_names or ()) if root else ()
        out_paths = user_paths(root.out_spec, None) if root else ()
        graph.signature = signature = reader.signature(module.signature, in_paths, out_paths)
        examples = self._examples(model, method, root.in_spec if root else None, in_paths)
        state = self._state(model, method, signature)
        symbols, ranges = method.symbols.finish(program.range_constraints)
        self._add_notices(name, method, program)
        verifiers = tuple(program.verifiers)
        self._builder.method(
            MethodRecord(
                name=name,
                graph=graph.number,
                dialect=next((DIALECTS[one] for one in verifiers if one in DIALECTS), Dialect.ATEN),
                verifiers=verifiers,
                symbols=symbols,
                ranges=ranges,
                state=state,
            ),
            MethodDetail(
                in_spec=root.in_spec if root else None,
                out_spec=root.out_spec if root else None,
                module_calls=calls,
                guards=tuple(program.guards_code),
                opset=program.opset_version,
                examples=examples,
            ),
        )

    def _decode(self, place: MemberPlace) -> Program:
        packed = self._container.packed(place.member)
        data = check_separators(self._container.read(place.member), packed, place)
        try:
            try:
                program = _program.decode(data)
            except msgspec.DecodeError:
                data = quote_numbers(data)
                program = _program.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            head = place.decode(_head.decode, data, "it")
            self._check(head, place)
            reason = f"it does not follow torch's schema: {error}"
            if _is_newer(head):
                reason = f"{reason}. {_newer_text(head)}"
                raise UnsupportedVersion(
                    place.file, reason, member=place.member, hint=upgrade_hint()
                ) from error
            raise place.malformed(reason) from error
        self._check(program, place)
        return program

    def _check(self, head: Head | Program, place: MemberPlace) -> None:
        version = head.schema_version
        if version.major not in self._majors and not by_executorch(head):
            known = " or ".join(map(str, sorted(self._majors)))
            is_later = version.major > max(self._majors)
            raise UnsupportedVersion(
                place.file,
                f"it is of schema {version.major}.{version.minor}, and {known} is read",
                member=place.member,
                hint=upgrade_hint()
                if is_later
                else "Load it with the torch that saved it, and save it again with a newer one.",
            )

    def _add_notices(self, name: str, method: MethodReader, program: Program) -> None:
        """What of this was inferred or left out, for the reader of the Snapshot."""
        notice = self._builder.notice
        if method.inferred:
            notice(
                "arguments",
                f"{name}: the file does not mark keyword arguments; they are inferred from the schema.",
            )
        for expr in method.symbols.unmet(program.range_constraints):
            self._builder.left_out_range(name, brief(expr))

    def _state(self, model: Model, method: MethodReader, signature: Signature) -> tuple[StateEntry, ...]:
        reader = StateReader(
            self._container,
            method.values,
            signature,
            self._budget,
            self._order,
            self.allowance,
            self._storages,
        )
        return tuple(
            entry
            for stored, constants in ((model.weights, False), (model.constants, True))
            for entry in self._stored(reader, stored, constants)
        )

    def _stored(self, reader: StateReader, stored: Stored, constants: bool) -> Sequence[StateEntry]:
        if stored.config:
            return list(reader.configured(stored.config, stored.folder, constants))
        if not stored.saved or not self._container.size(stored.saved):
            return ()
        saved = self._unpickled(stored.saved, "state")
        return () if saved is None else list(reader.saved(saved, stored.saved, constants))

    def _examples(
        self, model: Model, method: MethodReader, in_spec: Tree | None, paths: Sequence[str]
    ) -> tuple[Example, ...] | None:
        if not model.samples or not self._container.size(model.samples):
            return None
        saved = self._unpickled(model.samples, "samples")
        if saved is None or in_spec is None:
            return None
        if count_leaves(in_spec) > limits.MAX_SAMPLES:
            self._builder.notice(
                "samples", f"There are over {limits.MAX_SAMPLES:,} sample inputs; none is shown."
            )
            return None
        found = sample_leaves(in_spec, saved.data, self._unread)
        return tuple(
            Example(path, method.values.known(value).number)
            for path, value in zip(paths, found, strict=False)
            if value is not None
        )

    def _unread(self, cls: str) -> None:
        self._builder.notice(
            "samples", f"Sample inputs in {cls[:200]} are left out: reading them would need its code."
        )

    def _unpickled(self, member: str, what: str) -> Saved | None:
        """What torch.save wrote in a member, as inert data; a notice where it cannot be read."""
        try:
            return Saved(self._container.within(member), self._budget)
        except (PickleError, FileError) as error:
            reason = error.reason if isinstance(error, FileError) else str(error)
            self._builder.notice(what, f"{member} is not shown: {reason[:200]}.")
            return None


def by_executorch(head: Head | Program) -> bool:
    """Whether ExecuTorch wrote it: its copy of torch's old schema has verifiers, and torch's had none."""
    return head.schema_version.major == EXIR_MAJOR and bool(head.verifiers)


def _is_newer(head: Head | Program) -> bool:
    """Whether its schema is newer than any that the tests read, and compatible by its number."""
    version = head.schema_version
    return version.minor > NEWEST_MINOR.get(version.major, version.minor)


def _newer_text(head: Head | Program) -> str:
    major, minor = head.schema_version.major, head.schema_version.minor
    return f"Its schema is {major}.{minor}, and this exir_viz knows it up to {major}.{NEWEST_MINOR[major]}"


def _no_graph(place: MemberPlace) -> Callable[[GraphArgument], int]:
    def refuse(arg: GraphArgument) -> int:
        raise place.malformed(f"the graph {brief(arg.name)} is at a place that takes no graph")

    return refuse
