"""The payloads of delegates: what a backend made of the ops it took → Payload, as data.

Enters: the bytes of a payload. Leaves: a Payload, or a located FileError. Never: a backend's code, except the
readers that installed packages contribute (see `exir_viz.backends`).

The flow: `reader` (which reader, and what if it fails) → `xnnpack` (by `xnnpack_schema`) → `links` (which
nodes an op was made from).
"""
