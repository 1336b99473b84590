"""A Jupyter server with the extension, as a process, asked through HTTP."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import psutil

TOKEN = "let-me-in"
PATIENCE = 60


@dataclass(frozen=True)
class Answer:
    status: int
    body: bytes

    @property
    def problem(self) -> Any:
        return json.loads(self.body)


class Server:
    """`jupyter server` on a free port, with `folder` as its root. `options` are traits by name."""

    def __init__(self, folder: Path, config: Path, **options: object) -> None:
        self.folder, self.config, self.options = folder, config, options
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]

    def __enter__(self) -> Self:
        options = {
            "ServerApp.port": self.port,
            "ServerApp.port_retries": 0,
            "ServerApp.root_dir": self.folder,
            "ServerApp.open_browser": False,
            "ServerApp.allow_root": True,
            "ServerApp.jpserver_extensions": "{'exir_viz.server': True}",
            "IdentityProvider.token": TOKEN,
            **self.options,
        }
        call = (
            sys.executable,
            "-m",
            "jupyter",
            "server",
            *(f"--{key}={value}" for key, value in options.items()),
        )
        self.config.mkdir(parents=True, exist_ok=True)
        # Without JupyterLab and the environment's other extensions it starts in two thirds of the time.
        environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(self.config), "JUPYTER_NO_CONFIG": "1"}
        with (self.config / "server.log").open("wb") as log:
            self.process = subprocess.Popen(
                call, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment
            )
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if self.ask("api/status").status == 200:
                    return self
            except OSError:
                time.sleep(0.1)  # the server says nothing of when it is ready
        raise RuntimeError((self.config / "server.log").read_text()[-2000:])

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)

    @property
    def log(self) -> str:
        return (self.config / "server.log").read_text()

    def program(self, path: str, **options: Any) -> Answer:
        return self.ask(f"exir-viz/program?{urllib.parse.urlencode({'path': path})}", **options)

    def diff(self, a: str, b: str) -> Answer:
        return self.ask(f"exir-viz/diff?{urllib.parse.urlencode({'a': a, 'b': b})}")

    def stages(self, path: str, a: str, b: str) -> Answer:
        return self.ask(f"exir-viz/stages?{urllib.parse.urlencode({'path': path, 'a': a, 'b': b})}")

    def ask(self, path: str, *, token: str = TOKEN) -> Answer:
        headers = {"Authorization": f"token {token}"} if token else {}
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return Answer(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            return Answer(error.code, error.read())

    def workers(self) -> list[psutil.Process]:
        """The processes that read files now."""
        found = []
        for child in psutil.Process(self.process.pid).children():
            try:
                if "exir_viz.server.worker" in child.cmdline():
                    found.append(child)
            except psutil.NoSuchProcess:  # it ended meanwhile
                continue
        return found

    def next_worker(self) -> psutil.Process:
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if found := self.workers():
                return found[0]
        raise AssertionError("no worker was started")
