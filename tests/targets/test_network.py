"""What goes wrong on the way, in words that say what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

import pytest

from sensei_kumite.errors import TargetError, TargetProtocolError, TargetUnavailable
from sensei_kumite.targets import TargetSettings, build_target
from sensei_kumite.targets.network import without_secrets
from tests.servers.faulty import status_line, wire, zipped
from tests.servers.replies import Reply
from tests.servers.routes import RouteServer
from tests.targets.test_connectors import error_of

Failed = Callable[..., TargetError]


@pytest.fixture(params=["http", "rasa"])
def failed(request: pytest.FixtureRequest, servers: ExitStack) -> Failed:
    """The error of a target whose server gives that reply."""

    def failed(reply: Reply, scheme: str = "http") -> TargetError:
        url = servers.enter_context(RouteServer({"*": reply})).url.replace("http", scheme)
        params = {"url": f"{url}/{{{{message}}}}"} if request.param == "http" else {"base_url": url}
        return error_of(build_target(request.param, TargetSettings(params)))

    return failed


def test_an_answer_that_breaks_off_is_measured(failed: Failed) -> None:
    error = failed(wire(status_line("Content-Length: 5000"), b"[" * 10))
    assert isinstance(error, TargetUnavailable)
    assert error.message.endswith(": the answer broke off after 10 of 5000 bytes.")


def test_one_in_chunks_says_not_how_long_it_is(failed: Failed) -> None:
    error = failed(wire(status_line("Transfer-Encoding: chunked"), b"5\r\nab"))
    assert error.message.endswith(": the answer broke off.")


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_an_answer_that_is_not_packed_as_it_says(failed: Failed, encoding: str) -> None:
    error = failed(Reply(b"plain", headers={"Content-Encoding": encoding}))
    assert isinstance(error, TargetProtocolError)
    assert error.message.endswith(f": unexpected answer: it says {encoding} and is not.")
    assert failed(zipped(b"plain")).message.endswith("it says gzip and is not.")


def test_a_port_without_tls_is_known(failed: Failed) -> None:
    error = failed(Reply(b"hi"), scheme="https")
    assert isinstance(error, TargetUnavailable)
    assert not error.transient
    assert str(error).endswith(": this port does not speak TLS. Write http:// in place of https://.")


@pytest.mark.parametrize("end", [".", ", and", ": it", ").", ""])
def test_a_sentence_goes_on_behind_an_address(end: str) -> None:
    error = TargetError(f"it leads to https://me:pw@a.example/x?token=1.2{end}")
    assert without_secrets(error, []).message == f"it leads to https://a.example/x{end}"
