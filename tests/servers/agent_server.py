"""A real LangGraph Agent Server with a small graph of ours, from a virtual environment of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Self

PROJECT = Path(__file__).parent / "langgraph"
DEFAULT_ENVIRONMENT = Path(__file__).parents[2] / ".venv-langgraph"
STARTS_WITHIN = 600
"""Looks at the starting server, a tenth of a second apart."""


def find_langgraph() -> Path | None:
    """The command in the environment that `LANGGRAPH_VENV` names, else in `.venv-langgraph`."""
    folder = Path(os.environ.get("LANGGRAPH_VENV") or DEFAULT_ENVIRONMENT)
    command = folder / "bin" / "langgraph"
    return command if command.exists() else None


class AgentServer:
    """Serves the graph `chatbot` from a copy in `folder`: it writes beside the graph. A context manager."""

    def __init__(self, command: Path, folder: Path, *, workers: int) -> None:
        shutil.copytree(PROJECT, folder, dirs_exist_ok=True)
        self._log = folder / "server.log"
        self._arguments = [
            *(str(command), "dev", "--no-browser", "--no-reload"),
            *("--port", str(_free_port()), "--n-jobs-per-worker", str(workers)),
        ]
        self._folder = folder

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._arguments[5]}"

    def __enter__(self) -> Self:
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._arguments,
                cwd=self._folder,
                env=_quiet_environment(),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait_until_it_answers()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._stop()

    def _wait_until_it_answers(self) -> None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        for _ in range(STARTS_WITHIN):
            try:
                with direct.open(f"{self.url}/ok", timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                pass
            try:
                code = self._process.wait(timeout=0.1)
            except subprocess.TimeoutExpired:
                continue
            raise RuntimeError(
                f"the agent server ended with {code}:\n{self._log.read_text(errors='replace')}"
            )
        raise RuntimeError(f"the agent server does not answer:\n{self._log.read_text(errors='replace')}")

    def _stop(self) -> None:
        """End the server and whatever it started."""
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, sign)
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                continue
            except ProcessLookupError:
                return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _quiet_environment() -> dict[str, str]:
    """Our environment without keys, and with everything off that would call somebody."""
    foreign = ("LANGSMITH", "LANGCHAIN", "LANGGRAPH", "OTEL", "PYTHONPATH", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return {
        **kept,
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGSMITH_TRACING": "false",
        "LANGCHAIN_TRACING_V2": "false",
        "OTEL_SDK_DISABLED": "true",
        "DO_NOT_TRACK": "1",
    }
