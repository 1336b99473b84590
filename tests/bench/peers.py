"""The peers' own servers, each in a process of its own.

python -m tests.bench.peers model_explorer|netron FILE PORT

They print one line when a page can be opened: `URL` and its address.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.corpus.folder import FOLDER

_ROOT = Path(__file__).resolve().parents[2]
MODULES = {"model_explorer": "model_explorer", "netron": "netron"}


def is_here(peer: str) -> bool:
    return importlib.util.find_spec(MODULES[peer]) is not None


@contextlib.contextmanager
def serving(peer: str, name: str) -> Iterator[str]:
    """The address of a page that shows a program of the corpus, as long as the block lasts."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "tests.bench.peers",
        peer,
        FOLDER / f"{name}.pt2",
        str(port),
    ]
    process = subprocess.Popen(
        command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = next((line.split()[1] for line in process.stdout if line.startswith("URL ")), None)
        if address is None:
            raise RuntimeError(f"{peer} did not start with {name}")
        drain = threading.Thread(target=process.stdout.read, daemon=True)
        drain.start()  # else its log would fill the pipe and stop it
        _wait_for(port)
        yield address
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int, patience: float = 30) -> None:
    """They say where they are before they listen."""
    end = time.monotonic() + patience
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def _serve_model_explorer(file: Path, port: int) -> None:
    import model_explorer
    import torch
    from model_explorer import server
    from model_explorer.pytorch_exported_program_adapter_impl import PytorchExportedProgramAdapterImpl as Impl

    with contextlib.suppress(ImportError):
        import transformers.modeling_outputs  # noqa: F401  # torch refuses files whose classes are not registered

    def print_tensor(self: Any, tensor: Any, size_limit: int = 16) -> str:
        return stock(self, tensor, size_limit) if isinstance(tensor, torch.Tensor) else json.dumps(tensor)

    stock = Impl.print_tensor
    Impl.print_tensor = print_tensor  # it fails on inputs that are no tensors
    server._check_new_version = lambda *_, **__: {
        "version": "",
        "runningVersion": "",
    }  # it would ask the network
    config = model_explorer.config()
    config.add_model_from_pytorch(file.name, torch.export.load(file))
    print(f"URL http://127.0.0.1:{port}/?data={config.to_url_param_value()}", flush=True)
    model_explorer.visualize_from_config(config, port=port, no_open_in_browser=True)


def _serve_netron(file: Path, port: int) -> None:
    import netron

    netron.start(str(file), address=("127.0.0.1", port), browse=False)
    print(f"URL http://127.0.0.1:{port}/", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    peer, file, port = sys.argv[1:]
    {"model_explorer": _serve_model_explorer, "netron": _serve_netron}[peer](Path(file), int(port))
