"""Parameters, buffers and constants of a program in the file, by name, without reading the weights.

Only the config that lists them is read, and the bytes of constants of at most MAX_ELEMENTS elements. The
archive's directory has a checksum of every storage; only of a tensor that shares one is more than that read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.container import Container
from exir_viz.readers.archive.context import Budget, MemberPlace, brief, check_separators
from exir_viz.readers.archive.schema import Payload, PayloadConfig
from exir_viz.readers.archive.tensors import Saved, SavedTensor, mapping_of, tensor_of
from exir_viz.readers.archive.values import ValueReader
from exir_viz.readers.checksums import Allowance, checksum, fills
from exir_viz.readers.kept_data import MAX_ELEMENTS
from exir_viz.readers.tensor_elements import Strided, elements, strided
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.describe import item_bytes, value_bytes
from exir_viz.snapshot.program import InputKind, Signature, StateEntry, StateKind
from exir_viz.snapshot.records import ObjectValue, TensorValue

_KINDS: Final = {
    InputKind.PARAMETER: StateKind.PARAMETER,
    InputKind.BUFFER: StateKind.BUFFER,
    InputKind.CONSTANT_TENSOR: StateKind.CONSTANT,
    InputKind.CUSTOM_OBJ: StateKind.CUSTOM_OBJ,
}
_config: Final = msgspec.json.Decoder(PayloadConfig)


class StateReader:
    """The state of one method; entries share memory where they lie in one storage, of any method."""

    def __init__(
        self,
        container: Container,
        values: ValueReader,
        signature: Signature,
        budget: Budget,
        order: Literal["<", ">"],
        allowance: Allowance,
        storages: Interner[object],
    ) -> None:
        self._container = container
        self._order: Literal["<", ">"] = order
        self._budget = budget
        self._values = values
        self._kinds = {spec.target: _KINDS[spec.kind] for spec in signature.inputs if spec.kind in _KINDS}
        self._classes = {spec.target: spec.arg.cls for spec in signature.inputs if spec.arg.cls}
        self._storages = storages
        self._allowance = allowance
        # the storage that was read last: what lies in one storage follows one another
        self._shared: tuple[object, bytes] = (None, b"")

    def configured(self, config: str, folder: str, constants: bool) -> Iterator[StateEntry]:
        """The entries that a config lists; their storages are members of `folder`."""
        place = MemberPlace(self._container.file, config, self._budget)
        data = check_separators(self._container.read(config), self._container.packed(config), place)
        listed = place.decode(_config.decode, data, "it")
        place.spend(2 * len(listed.config))
        for name, payload in listed.config.items():
            member = folder + payload.path_name
            if member not in self._container:
                raise place.malformed(
                    f"{brief(name)} is stored in {brief(payload.path_name)}, which the archive does not have"
                )
            if payload.tensor_meta is None:
                yield self._object(name)
            else:
                yield self._tensor(name, payload, member, constants, place)

    def saved(self, state: Saved, member: str, constants: bool) -> Iterator[StateEntry]:
        """The entries of a dict that torch.save wrote; only its pickle and small constants are read."""
        for name, stored in mapping_of(state.data) or ():
            if not isinstance(name, str):
                continue  # state has names; what has none is no state
            tensor = tensor_of(stored)
            if tensor is None:
                yield self._object(name)
                continue
            data = self._saved_elements(name, tensor, state) if constants else None
            # Weights and constants are archives of their own, whose storages are numbered alike.
            storage = (member, tensor.storage)
            crc32 = self._checksum(state.container, state.member(tensor.storage), tensor.value, state.order)
            yield self._entry(name, tensor, constants, storage, data, crc32)

    def _saved_elements(self, name: str, tensor: SavedTensor, state: Saved) -> tuple[str, ...] | None:
        lies = strided(tensor.value)
        if lies is None or not self._is_small(name, lies):
            return None
        data = state.storage(tensor.storage)
        try:
            return None if data is None else elements(data, lies, state.order)
        except ValueError:
            return None  # it lies elsewhere than its pickle says, and torch will not load it either

    def _is_small(self, name: str, lies: Strided) -> bool:
        """Whether it is a constant whose elements are kept."""
        kind = self._kinds.get(name, StateKind.CONSTANT)
        return kind is StateKind.CONSTANT and lies.size <= MAX_ELEMENTS

    def _object(self, name: str) -> StateEntry:
        cls = self._classes.get(name, "")
        value = self._values.known(ObjectValue("script_object", cls))
        return StateEntry(name, self._kinds.get(name, StateKind.CUSTOM_OBJ), value.number, cls=cls)

    def _tensor(
        self, name: str, payload: Payload, member: str, constants: bool, place: MemberPlace
    ) -> StateEntry:
        assert payload.tensor_meta is not None
        value = self._values.tensor(payload.tensor_meta, offset=True)
        lies = strided(value)
        if lies is None:
            raise place.malformed(f"the size of {brief(name)} is symbolic, and state needs fixed sizes")
        size = self._container.size(member)
        item = item_bytes(value.dtype)
        if size and not payload.use_pickle and item is not None:
            reach = lies.reach * item
            if reach > size or min(lies.stride, default=0) < 0:
                raise place.malformed(f"{brief(name)} reaches to byte {reach:,} of a storage of {size:,}")
        data: tuple[str, ...] | None = None
        if constants and not payload.use_pickle and self._is_small(name, lies):
            data = self._elements(member, lies, place)
        crc32 = None if payload.use_pickle else self._checksum(self._container, member, value, self._order)
        saved = SavedTensor(value, member, payload.is_param)
        return self._entry(name, saved, constants, member, data, crc32)

    def _checksum(
        self, container: Container, member: str, value: TensorValue, order: Literal["<", ">"]
    ) -> int | None:
        """The checksum of a tensor whose storage is a member of the archive; None if unknown."""
        lies, item = strided(value), item_bytes(value.dtype)
        if lies is None or item is None or order == ">" or member not in container or value.cls:
            return None
        size = container.size(member)
        if fills(lies, item, size):
            return container.checksum(member)
        if not lies.size * item <= size <= limits.MAX_SHARED_BYTES:
            return None
        if self._shared[0] != (key := (container, member)):
            if not self._allowance.take(size):
                return None
            self._shared = (key, container.read(member))
        return checksum(self._shared[1], lies, item)

    def _elements(self, member: str, lies: Strided, place: MemberPlace) -> tuple[str, ...] | None:
        size = self._container.size(member)
        if size > limits.MAX_CONSTANT_BYTES or (size == 0 and lies.size):
            return None
        try:
            return elements(self._container.read(member), lies, self._order)
        except ValueError as error:
            raise place.malformed(f"in {brief(member)}, {error}") from error

    def _entry(
        self,
        name: str,
        tensor: SavedTensor,
        constants: bool,
        storage: object,
        data: tuple[str, ...] | None,
        crc32: int | None,
    ) -> StateEntry:
        value = tensor.value
        fallback = (
            StateKind.CONSTANT if constants else StateKind.PARAMETER if tensor.parameter else StateKind.BUFFER
        )
        size = value_bytes(value)
        if size is not None and size > limits.MAX_DIM:
            raise MemberPlace(self._container.file, str(storage)).too_large(
                f"{brief(name)} has {size:,} bytes"
            )
        return StateEntry(
            name=name,
            kind=self._kinds.get(name, fallback),
            value=self._values.known(value).number,
            bytes=size,
            storage=self._storages[storage],
            data=data,
            crc32=crc32,
        )
