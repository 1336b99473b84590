"""Parameters, buffers and constants of a program in the file, by name, without reading the weights.

Only the config that lists them is read, and the bytes of constants of at most MAX_CONSTANT_ELEMENTS elements.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import msgspec

from exir_viz.capture.archive import limits
from exir_viz.capture.archive.container import Container
from exir_viz.capture.archive.context import Place
from exir_viz.capture.archive.elements import elements
from exir_viz.capture.archive.schema import Payload, PayloadConfig
from exir_viz.capture.archive.tensors import SavedTensor, mapping_of, tensor_of
from exir_viz.capture.archive.values import ValueReader
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.describe import item_bytes, value_bytes
from exir_viz.snapshot.program import InputKind, Signature, StateEntry, StateKind
from exir_viz.snapshot.records import ObjectValue

_KINDS: Final = {
    InputKind.PARAMETER: StateKind.PARAMETER,
    InputKind.BUFFER: StateKind.BUFFER,
    InputKind.CONSTANT_TENSOR: StateKind.CONSTANT,
    InputKind.CUSTOM_OBJ: StateKind.CUSTOM_OBJ,
}
_config: Final = msgspec.json.Decoder(PayloadConfig)


class StateReader:
    """The state of one method; entries share memory where they lie in one storage."""

    def __init__(self, container: Container, values: ValueReader, signature: Signature) -> None:
        self._container = container
        self._values = values
        self._kinds = {spec.target: _KINDS[spec.kind] for spec in signature.inputs if spec.kind in _KINDS}
        self._classes = {spec.target: spec.arg.cls for spec in signature.inputs if spec.arg.cls}
        self._storages: Interner[object] = Interner()

    def configured(
        self, config: str, folder: str, constants: bool, order: Literal["<", ">"]
    ) -> Iterator[StateEntry]:
        """The entries that a config lists; their storages are members of `folder`."""
        place = Place(self._container.file, config)
        listed = place.decode(_config.decode, self._container.read(config), "it")
        for name, payload in listed.config.items():
            member = folder + payload.path_name
            if member not in self._container:
                raise place.malformed(
                    f"{name!r} is to lie in {payload.path_name!r}, which the archive has not"
                )
            if payload.tensor_meta is None:
                yield self._object(name)
            else:
                yield self._tensor(name, payload, member, constants, order, place)

    def saved(self, state: object, constants: bool) -> Iterator[StateEntry]:
        """The entries of a dict that torch.save wrote, of which only the pickle was read."""
        for name, held in mapping_of(state) or ():
            tensor = tensor_of(held)
            if tensor is None:
                yield self._object(str(name))
                continue
            yield self._entry(str(name), tensor, constants, ("saved", constants, tensor.storage), None)

    def _object(self, name: str) -> StateEntry:
        cls = self._classes.get(name, "")
        value = self._values.known(ObjectValue("script_object", cls))
        return StateEntry(name, self._kinds.get(name, StateKind.CUSTOM_OBJ), value.number, cls=cls)

    def _tensor(
        self,
        name: str,
        payload: Payload,
        member: str,
        constants: bool,
        order: Literal["<", ">"],
        place: Place,
    ) -> StateEntry:
        assert payload.tensor_meta is not None
        value = self._values.tensor(payload.tensor_meta, offset=True)
        shape, stride = _whole(value.shape), _whole(value.stride or ())
        if shape is None or stride is None or not isinstance(value.offset, int):
            raise place.malformed(f"the size of {name!r} is symbolic, and state has sizes")
        size = self._container.size(member)
        item = item_bytes(value.dtype)
        if size and not payload.use_pickle and item is not None:
            reach = _reach(shape, stride, value.offset) * item
            if reach > size or min(stride, default=0) < 0:
                raise place.malformed(f"{name!r} reaches to byte {reach:,} of a storage of {size:,}")
        tensor = SavedTensor(value, member, payload.is_param)
        data: tuple[str, ...] | None = None
        wanted = constants and self._kinds.get(name, StateKind.CONSTANT) is StateKind.CONSTANT
        if wanted and not payload.use_pickle and _count(shape) <= limits.MAX_CONSTANT_ELEMENTS:
            data = self._elements(member, value.dtype, shape, stride, value.offset, order, place)
        return self._entry(name, tensor, constants, member, data)

    def _elements(
        self,
        member: str,
        dtype: str,
        shape: tuple[int, ...],
        stride: tuple[int, ...],
        offset: int,
        order: Literal["<", ">"],
        place: Place,
    ) -> tuple[str, ...] | None:
        size = self._container.size(member)
        if size > limits.MAX_CONSTANT_BYTES or (size == 0 and _count(shape)):
            return None
        try:
            return elements(self._container.read(member), dtype, shape, stride, offset, order)
        except ValueError as error:
            raise place.malformed(f"in {member!r}, {error}") from error

    def _entry(
        self, name: str, tensor: SavedTensor, constants: bool, storage: object, data: tuple[str, ...] | None
    ) -> StateEntry:
        value = tensor.value
        fallback = (
            StateKind.CONSTANT if constants else StateKind.PARAMETER if tensor.parameter else StateKind.BUFFER
        )
        size = value_bytes(value)
        if size is not None and size > limits.MAX_DIM:
            raise Place(self._container.file, str(storage)).too_large(f"{name!r} has {size:,} bytes")
        return StateEntry(
            name=name,
            kind=self._kinds.get(name, fallback),
            value=self._values.known(value).number,
            bytes=size,
            storage=self._storages[storage],
            data=data,
        )


def _whole(sizes: tuple[int | str, ...]) -> tuple[int, ...] | None:
    found = tuple(size for size in sizes if isinstance(size, int))
    return found if len(found) == len(sizes) else None


def _count(shape: tuple[int, ...]) -> int:
    """Elements of a tensor."""
    count = 1
    for size in shape:
        count *= size
    return count


def _reach(shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> int:
    """Elements of a storage up to a tensor's last."""
    if 0 in shape:
        return 0
    return offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) + 1
