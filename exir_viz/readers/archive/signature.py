"""The graph signature, the pytrees and the module call graph in the file → records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from exir_viz.readers.archive.arguments import ArgumentReader
from exir_viz.readers.archive.context import MemberPlace, brief
from exir_viz.readers.archive.outputs import name_of
from exir_viz.readers.archive.schema import (
    CallSignature,
    CustomObject,
    GraphModule,
    GraphSignature,
    SpecBody,
    Union,
)
from exir_viz.readers.pytrees import parse_treespec
from exir_viz.snapshot.program import (
    Argument,
    ArgumentType,
    InputKind,
    InputSpec,
    ModuleCall,
    OutputKind,
    OutputSpec,
    Signature,
    Tree,
)
from exir_viz.snapshot.program import CallSignature as CallRecord
from exir_viz.snapshot.records import Literal, LiteralType

_INPUTS: Final = {
    "user_input": InputKind.USER_INPUT,
    "constant_input": InputKind.USER_INPUT,
    "parameter": InputKind.PARAMETER,
    "buffer": InputKind.BUFFER,
    "tensor_constant": InputKind.CONSTANT_TENSOR,
    "custom_obj": InputKind.CUSTOM_OBJ,
    "token": InputKind.TOKEN,
}
_TYPES: Final = {
    "as_tensor": ArgumentType.TENSOR,
    "as_sym_int": ArgumentType.SYM_INT,
    "as_sym_float": ArgumentType.SYM_FLOAT,
    "as_sym_bool": ArgumentType.SYM_BOOL,
}
_union: Final = msgspec.json.Decoder(Union)
_object: Final = msgspec.json.Decoder(CustomObject)


class _Named(msgspec.Struct):
    name: str
    class_fqn: str = ""


_named: Final = msgspec.json.Decoder(_Named)


class SignatureReader:
    """Reads what a program says of its own calling convention."""

    def __init__(
        self, place: MemberPlace, constants: ArgumentReader, fields: Mapping[str, Sequence[str]]
    ) -> None:
        """`constants` reads literals; `fields` names the fields of named tuples."""
        self._place = place
        self._constants = constants
        self._fields = fields

    def signature(
        self, signature: GraphSignature, in_paths: Sequence[str], out_paths: Sequence[str]
    ) -> Signature:
        """The specs, with the user's paths dealt out to the user's inputs and outputs in order."""
        self._place.spend(2 * (len(signature.input_specs) + len(signature.output_specs)))
        ins, outs = iter(in_paths), iter(out_paths)
        return Signature(
            tuple(
                self._input(*self._place.one(spec, "an input spec"), ins) for spec in signature.input_specs
            ),
            tuple(
                self._output(*self._place.one(spec, "an output spec"), outs)
                for spec in signature.output_specs
            ),
        )

    def calls(self, module: GraphModule) -> tuple[ModuleCall, ...]:
        """The module call graph."""
        self._place.spend(len(module.module_call_graph))
        return tuple(
            ModuleCall(call.fqn, None if call.signature is None else self._call(call.signature))
            for call in module.module_call_graph
        )

    def _input(self, kind: str, body: SpecBody, paths: Iterator[str]) -> InputSpec:
        role = _INPUTS.get(kind)
        if role is None:
            raise self._place.malformed(f"{brief(kind)} is not a kind of input")
        if kind == "constant_input":
            value = self._constant(body.value if body.value is not None else {})
            arg = Argument(ArgumentType.CONSTANT, body.name or "", value)
        else:
            arg = self._body_argument(kind == "user_input", kind, body)
        return InputSpec(
            kind=role,
            arg=arg,
            target=body.parameter_name
            or body.buffer_name
            or body.tensor_constant_name
            or body.custom_obj_name,
            persistent=body.persistent,
            path=next(paths, None) if role is InputKind.USER_INPUT else None,
        )

    def _output(self, kind: str, body: SpecBody, paths: Iterator[str]) -> OutputSpec:
        try:
            role = OutputKind(kind)
        except ValueError as error:
            raise self._place.malformed(f"{brief(kind)} is not a kind of output") from error
        user = role is OutputKind.USER_OUTPUT
        return OutputSpec(
            kind=role,
            arg=self._body_argument(user, kind, body),
            target=body.parameter_name or body.buffer_name or body.user_input_name,
            path=next(paths, None) if user else None,
        )

    def _body_argument(self, is_union: bool, kind: str, body: SpecBody) -> Argument:
        if not bytes(body.arg):
            raise self._place.malformed(f"a spec of kind {brief(kind)} has no argument")
        if is_union:
            return self._argument(self._place.decode(_union.decode, body.arg, "a spec"))
        named = self._place.decode(_named.decode, body.arg, "a spec")
        types = {"token": ArgumentType.TOKEN, "custom_obj": ArgumentType.CUSTOM_OBJ}
        return Argument(types.get(kind, ArgumentType.TENSOR), named.name, cls=named.class_fqn)

    def _argument(self, union: Union) -> Argument:
        kind, raw = self._place.one(union, "an argument")
        if kind in _TYPES:
            return Argument(_TYPES[kind], name_of(kind, raw, self._place))
        if kind == "as_custom_obj":
            custom_object = self._place.decode(_object.decode, raw, "an argument")
            return Argument(ArgumentType.CUSTOM_OBJ, custom_object.name, cls=custom_object.class_fqn)
        return Argument(ArgumentType.CONSTANT, "", self._constant(union))

    def _constant(self, union: Union) -> Literal:
        value = self._constants.read(union)
        return value if isinstance(value, Literal) else Literal(LiteralType.STR, "builtins.list")

    def _call(self, call: CallSignature) -> CallRecord:
        self._place.spend(len(call.inputs) + len(call.outputs))
        return CallRecord(
            inputs=tuple(map(self._argument, call.inputs)),
            outputs=tuple(map(self._argument, call.outputs)),
            in_spec=self._tree(call.in_spec),
            out_spec=self._tree(call.out_spec),
            arg_names=tuple(call.forward_arg_names) if call.forward_arg_names else None,
        )

    def _tree(self, text: str) -> Tree:
        self._place.spend(text.count("{"))
        try:
            return parse_treespec(text, self._fields)
        except ValueError as error:
            raise self._place.malformed(str(error)) from error
