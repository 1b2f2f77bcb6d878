"""Fixtures that start the local servers; everything they start ends with the test."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.servers.agent_server import AgentServer, find_langgraph
from tests.servers.openai_server import OpenAIServer
from tests.servers.proxy import Proxy
from tests.servers.rasa import RasaServer
from tests.servers.replies import Script
from tests.servers.taskyto import TaskytoServer
from tests.servers.tls import Authority


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    """Enter servers here: `server = servers.enter_context(RasaServer(["hi"]))`."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def serve_rasa(servers: ExitStack) -> Callable[[Script], RasaServer]:
    """Start a Rasa chatbot: `serve_rasa(["hello", failure(500)])` or `serve_rasa(lambda message: ...)`."""
    return lambda script: servers.enter_context(RasaServer(script))


@pytest.fixture
def serve_taskyto(servers: ExitStack) -> Callable[..., TaskytoServer]:
    """Start a Taskyto chatbot; takes what `TaskytoServer` takes."""
    return lambda script, **details: servers.enter_context(TaskytoServer(script, **details))


@pytest.fixture
def serve_openai(servers: ExitStack) -> Callable[..., OpenAIServer]:
    """Start a model server: `serve_openai(["hello", Answer(refusal="no")], models=["gpt-4o-mini"])`."""
    return lambda script, **details: servers.enter_context(OpenAIServer(script, **details))


@pytest.fixture
def proxy(servers: ExitStack) -> Proxy:
    """A forward proxy that passes everything on."""
    return servers.enter_context(Proxy())


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """A certificate authority for servers that speak TLS."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port on this machine where nobody listens, and nobody else can begin to."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


@pytest.fixture(scope="session")
def agent_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """A LangGraph Agent Server. Without an environment to run it from, the test is skipped, but not in CI."""
    command = find_langgraph()
    if command is None:
        reason = "no LangGraph Agent Server: make .venv-langgraph (see CONTRIBUTING) or set LANGGRAPH_VENV"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with AgentServer(command, tmp_path_factory.mktemp("agent_server"), workers=8) as server:
        yield server
