"""A tensor as torch.save wrote it, read as inert data → its value. The storages are not read."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import msgspec

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.container import Container
from exir_viz.readers.archive.context import Budget
from exir_viz.readers.archive.pickles import Built, Mapping, Name, Persistent, PickleError, load
from exir_viz.readers.archive.values import DTYPES, tensor_decoder
from exir_viz.readers.dimorder import dim_order
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.records import Literal as LiteralRecord
from exir_viz.snapshot.records import LiteralType, TensorValue, Value

_STORAGES: Final = {
    "Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
    "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool",
    "ComplexFloat": "complex64", "ComplexDouble": "complex128",
}  # fmt: skip
_TORCH_DTYPES: Final = frozenset(f"torch.{name}" for name in DTYPES.values())
_MAX_BITS: Final = 4096


class SavedTensor(NamedTuple):
    """A tensor, the key of the storage that it lies in, and whether it is a parameter."""

    value: TensorValue
    storage: str = ""
    parameter: bool = False


class Saved:
    """An archive that torch.save wrote: inert data, and the storages that it refers to."""

    def __init__(self, container: Container, budget: Budget) -> None:
        """Raises PickleError or a FileError."""
        roots = [name.removesuffix("data.pkl") for name in container if name.endswith("/data.pkl")]
        if len(roots) != 1:
            raise PickleError("it is not an archive from torch.save")
        self.container = container
        self._root = roots[0]
        self.data = load(container.read(f"{self._root}data.pkl", limits.MAX_PICKLE_BYTES), budget)
        order = f"{self._root}byteorder"
        big = order in container and container.read(order, 100) == b"big"
        self.order: Literal["<", ">"] = ">" if big else "<"

    def member(self, key: str) -> str:
        """The member that a storage is."""
        return f"{self._root}data/{key}"

    def storage(self, key: str) -> bytes | None:
        """The bytes of a storage, where they are few."""
        member = self.member(key)
        if member not in self.container or self.container.size(member) > limits.MAX_CONSTANT_BYTES:
            return None
        return self.container.read(member)


def value_of(saved: object) -> Value | None:
    """The value of a leaf: a tensor or a constant; None for anything else."""
    tensor = tensor_of(saved)
    if tensor is not None:
        return tensor.value
    match saved:
        case Name(text) if text in _TORCH_DTYPES:
            return LiteralRecord(LiteralType.DTYPE, text)
        case Built(Name("torch.device"), (str(kind), *rest)) if all(isinstance(one, int) for one in rest):
            return LiteralRecord(LiteralType.DEVICE, ":".join([kind, *map(str, rest)]))
        case Built(Name("builtins.complex" | "__builtin__.complex"), (float(real), float(imag))):
            return literal_of(complex(real, imag))
        case bool() | float() | str() | None:
            return literal_of(saved)
        case int() if saved.bit_length() <= _MAX_BITS:
            return literal_of(saved)
    return None


def tensor_of(saved: object, depth: int = limits.MAX_TENSOR_DEPTH) -> SavedTensor | None:
    """A tensor that torch.save took apart; None for anything else."""
    if (
        depth == 0
        or not isinstance(saved, Built)
        or not isinstance(saved.fn, Name)
        or not isinstance(saved.args, tuple)
    ):
        return None
    args = saved.args
    match saved.fn.text.rpartition(".")[2], args:
        case "_rebuild_tensor_v2", (Persistent(id), offset, size, stride, bool(grad), *_):
            return _strided(id, offset, size, stride, grad, None)
        case "_rebuild_tensor_v3", (Persistent(id), offset, size, stride, bool(grad), _, Name(dtype), *_):
            return _strided(id, offset, size, stride, grad, dtype.removeprefix("torch."))
        case "_rebuild_from_type_v2", (function, Name(cls), tuple(inner_args), *_):
            inner = tensor_of(Built(function, inner_args), depth - 1)
            return None if inner is None else _of_class(inner, cls)
        case "_rebuild_parameter" | "_rebuild_parameter_with_state", (data, bool(grad), *_):
            inner = tensor_of(data, depth - 1)
            if inner is None:
                return None
            return SavedTensor(msgspec.structs.replace(inner.value, requires_grad=grad), inner.storage, True)
        case "_rebuild_meta_tensor_no_storage", (Name(dtype), size, stride, bool(grad)):
            return _meta(dtype, size, stride, grad)
        case "_reconstruct_fake_tensor", (text, bool(parameter)):
            return _fake(text, parameter)
    return None


def _of_class(tensor: SavedTensor, cls: str) -> SavedTensor:
    """A tensor with extra attributes is saved with its class, which is usually torch's."""
    plain = cls in ("torch.Tensor", "torch._tensor.Tensor", "torch.nn.parameter.Parameter")
    return tensor if plain else tensor._replace(value=msgspec.structs.replace(tensor.value, cls=cls))


def _strided(
    id: object, offset: object, size: object, stride: object, grad: bool, dtype: str | None
) -> SavedTensor | None:
    if not isinstance(id, tuple) or len(id) < 5 or not isinstance(id[1], Name):
        return None
    if not isinstance(id[2], str) or not isinstance(id[3], str):
        return None
    kind = id[1].text.rpartition(".")[2].removesuffix("Storage")
    dtype = dtype or _STORAGES.get(kind)
    shape, strides = _whole(size), _whole(stride)
    if dtype is None or shape is None or strides is None or not isinstance(offset, int):
        return None
    if not 0 <= offset <= limits.MAX_DIM or len(shape) != len(strides):
        return None
    value = TensorValue(dtype, shape, strides, offset, id[3], "strided", grad, dim_order(shape, strides))
    return SavedTensor(value, id[2])


def _meta(dtype: str, size: object, stride: object, grad: bool) -> SavedTensor | None:
    shape, strides = _whole(size), _whole(stride)
    if shape is None or strides is None or dtype not in _TORCH_DTYPES:
        return None
    name = dtype.removeprefix("torch.")
    return SavedTensor(
        TensorValue(name, shape, strides, 0, "meta", "strided", grad, dim_order(shape, strides))
    )


def _fake(text: object, parameter: bool) -> SavedTensor | None:
    """A tensor without data: its metadata is JSON, within bytes, within a pickle."""
    if (
        isinstance(text, Built)
        and text.fn == Name("_codecs.encode")
        and isinstance(text.args, tuple)
        and text.args
    ):
        text = text.args[0]
    if not isinstance(text, (bytes, str)):
        return None
    try:
        meta = tensor_decoder.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    shape, strides = (
        _whole([size.as_int for size in meta.sizes]),
        _whole([one.as_int for one in meta.strides]),
    )
    dtype = DTYPES.get(meta.dtype)
    if shape is None or strides is None or dtype is None:
        return None
    device = meta.device.type if meta.device.index is None else f"{meta.device.type}:{meta.device.index}"
    grad = meta.requires_grad
    value = TensorValue(dtype, shape, strides, 0, device, "strided", grad, dim_order(shape, strides))
    return SavedTensor(value, parameter=parameter)


def _whole(sizes: object) -> tuple[int, ...] | None:
    """A torch.Size, a tuple or a list of whole numbers within the limits."""
    if (
        isinstance(sizes, Built)
        and sizes.fn == Name("torch.Size")
        and isinstance(sizes.args, tuple)
        and sizes.args
    ):
        sizes = sizes.args[0]
    if not isinstance(sizes, (list, tuple)) or len(sizes) > limits.MAX_RANK:
        return None
    found = tuple(size for size in sizes if type(size) is int and 0 <= size <= limits.MAX_DIM)
    return found if len(found) == len(sizes) else None


def mapping_of(saved: object) -> list[tuple[object, object]] | None:
    """The items of a dict or of an OrderedDict."""
    if isinstance(saved, Mapping):
        return saved.pairs
    if isinstance(saved, Built) and saved.fn in (
        Name("collections.OrderedDict"),
        Name("collections.defaultdict"),
    ):
        return saved.pairs
    return None
