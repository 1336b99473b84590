"""The shortcuts that tests and the builder of the corpus take in torch: each gives what torch gives, sooner.

All but the one for guards have a test that compares the two.
"""

from __future__ import annotations

import functools

from .generated_code import generate_code_when_needed
from .guard_timing import measure_no_guards
from .node_sources import copy_sources_quickly
from .operator_lookup import look_up_new_operators_only, register_kernels_again


@functools.cache  # a second time would wrap what the first replaced
def take_shortcuts() -> None:
    """In this process, from now on."""
    look_up_new_operators_only()
    register_kernels_again()
    measure_no_guards()
    copy_sources_quickly()
    generate_code_when_needed()
