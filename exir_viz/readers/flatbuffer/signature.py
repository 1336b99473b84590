"""A plan's inputs and outputs → its signature, with the paths where the user passes or finds them.

The container metadata of a plan are pytree specs, as torch writes them. A `.pte` has no names of arguments.
"""

from __future__ import annotations

from exir_viz.readers.pytrees import parse_treespec, user_paths
from exir_viz.snapshot.program import (
    Argument,
    ArgumentType,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    Signature,
    Tree,
)

from .schema import Bool, ContainerMetadata, Double, Int, KernelTypes, Tensor
from .values import literal

_NUMBERS = {Int: ArgumentType.SYM_INT, Double: ArgumentType.SYM_FLOAT, Bool: ArgumentType.SYM_BOOL}


class SignatureWriter:
    """The specs of one plan, collected while its nodes are written."""

    def __init__(self, metadata: ContainerMetadata | None) -> None:
        self.unread: list[str] = []
        self.in_spec = self._tree(metadata.encoded_inp_str if metadata else "")
        self.out_spec = self._tree(metadata.encoded_out_str if metadata else "")
        self._inputs: list[InputSpec] = []
        self._outputs: list[OutputSpec] = []
        self._in_paths = iter(() if self.in_spec is None else user_paths(self.in_spec, ()))
        self._out_paths = iter(() if self.out_spec is None else user_paths(self.out_spec, None))

    def state(self, kind: InputKind, node: str, target: str) -> None:
        """A constant or buffer."""
        self._inputs.append(InputSpec(kind, Argument(ArgumentType.TENSOR, node), target))

    def user_input(self, node: str, value: KernelTypes) -> None:
        """An input, in the order of the plan."""
        path = next(self._in_paths, None)
        self._inputs.append(InputSpec(InputKind.USER_INPUT, _argument(node, value, fixed=True), path=path))

    def output(self, node: str, value: KernelTypes, *, computed: bool) -> None:
        """An output: of a node, or constant."""
        argument = _argument(node, value, fixed=not computed)
        self._outputs.append(OutputSpec(OutputKind.USER_OUTPUT, argument, path=next(self._out_paths, None)))

    def signature(self) -> Signature:
        return Signature(tuple(self._inputs), tuple(self._outputs))

    def _tree(self, text: str) -> Tree | None:
        if not text:
            return None
        try:
            return parse_treespec(text)
        except ValueError as error:
            self.unread.append(str(error))
            return None


def _argument(node: str, value: KernelTypes, *, fixed: bool) -> Argument:
    if isinstance(value, Tensor):
        return Argument(ArgumentType.TENSOR, node)
    if not fixed and type(value) in _NUMBERS:
        return Argument(_NUMBERS[type(value)], node)
    return Argument(ArgumentType.CONSTANT, node, literal(value))
