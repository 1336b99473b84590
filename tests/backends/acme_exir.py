"""A package of a backend, as its maker would write it: it is installed in a temporary place by the tests."""

from __future__ import annotations

from exir_viz.backends import Backend
from exir_viz.snapshot.payload import Payload, PayloadOp, PayloadTensor


class AcmeBackend(Backend):
    backend_ids = ("AcmeDspBackend",)

    def read_payload(self, source):
        tensor = PayloadTensor("blob", "uint8", (source.size,), "constant", source.size)
        op = PayloadOp(f"Acme{source.read_at(4, 2).decode()}", (0,), (), handle=3)
        return Payload("Acme program", "acme", (tensor,), (op,))

    def delegation_reasons(self, snapshot):
        return {
            node.id: "Acme has no cat."
            for node in snapshot.method.graph
            if node.op == "call_function" and not node.subgraphs
        }

    def overlays(self, snapshot):
        return {"Acme cycles": {node.id: 10.0 for node in snapshot.method.graph if node.subgraphs}}


class Broken(Backend):
    backend_ids = ("AcmeDspBackend",)

    def read_payload(self, source):
        raise ZeroDivisionError("the Acme simulator is off")

    def delegation_reasons(self, snapshot):
        return ["not a mapping"]

    def overlays(self, snapshot):
        return {"Acme cycles": {"no such node": 1.0}}


class WrongTensors(Backend):
    backend_ids = ("AcmeDspBackend",)

    def read_payload(self, source):
        return Payload("Acme program", "acme", (), (PayloadOp("Acme", (7,), ()),))


NOT_A_BACKEND = {"backend_ids": ("AcmeDspBackend",)}
