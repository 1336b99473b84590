"""The hint for a file that is newer than this exir_viz: the command that upgrades it, as it was installed.

pip notes where it got a package from, except for an index (PEP 610: `direct_url.json`). The hint names no
folder and no address: a notice that has it may be written to a file.
"""

from __future__ import annotations

import functools
import json
from importlib.metadata import Distribution, PackageNotFoundError, distribution

INDEX = "pip install --upgrade exir-viz"
CHECKOUT = "git pull && pip install ."
EDITABLE = "git pull && pip install --editable ."


@functools.cache
def upgrade_hint() -> str:
    """The remedy if a newer exir_viz is needed."""
    try:
        installed = distribution("exir-viz")
    except PackageNotFoundError:  # run from a folder
        return "Use a newer exir_viz."
    return hint_for(installed)


def hint_for(installed: Distribution) -> str:
    """The hint for an installed package; it names a command only where that one upgrades it."""
    text = installed.read_text("direct_url.json")
    if text is None:
        return f"Upgrade exir_viz: {INDEX}"
    folder = json.loads(text).get("dir_info")
    if folder is None:  # one wheel, or one revision: what is newer has another address
        return "Install a newer exir_viz."
    return f"Upgrade exir_viz, in its checkout: {EDITABLE if folder.get('editable') else CHECKOUT}"
