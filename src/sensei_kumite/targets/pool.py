"""One kept connection per session, on urllib3 alone: what our own HTTP targets talk through.

Each session has a pool of one connection. A pool that sessions share would be searched by all of them
for every request, and what requests does on top of urllib3 costs as much again.

A request is sent once: retrying is the engine's. No redirect is followed, for that would send a message
again, and a key to somebody else. A connection that the server has closed while idle is replaced before
it is used; one that breaks within a request is an error, for the target may have read that request.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, cast
from urllib.parse import urlsplit

import urllib3
from requests.adapters import HTTPAdapter
from requests.utils import DEFAULT_CA_BUNDLE_PATH, select_proxy
from urllib3.exceptions import HTTPError, InsecureRequestWarning
from urllib3.util import Timeout
from urllib3.util.ssl_ import create_urllib3_context

import sensei_kumite
from sensei_kumite.errors import TargetProtocolError, TargetRejected, TargetUnavailable
from sensei_kumite.targets.network import network_error, sentence, status_error
from sensei_kumite.targets.transport import LARGEST, PIECE, bounded, route_to

PATIENCE = 60.0
"""Seconds for connecting, and for each wait for data, where nobody says otherwise."""

UNVERIFIED = "TLS certificates are not verified, because the connector parameter verify is false."

DEFAULT_HEADERS: Mapping[str, str] = {
    "User-Agent": f"sensei-kumite/{sensei_kumite.__version__}",
    "Accept-Encoding": "gzip, deflate",
}


class Request(NamedTuple):
    """What is sent: `path` begins with a slash and may have a query; `headers` are all there are."""

    method: str
    path: str
    headers: Mapping[str, str | bytes]
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `content` is unpacked; `location` is where a redirect leads."""

    status: int
    reason: str
    content: bytes
    content_type: str
    location: str | None
    retry_after: str | None

    @property
    def text(self) -> str:
        """The content as text: in UTF-8 unless its type names another encoding; what is none is U+FFFD."""
        _, _, named = self.content_type.lower().partition("charset=")
        encoding = named.split(";")[0].strip("\"' ") or "utf-8"
        try:
            return self.content.decode(encoding.replace("utf-8", "utf-8-sig"), "replace")
        except (LookupError, ValueError):
            return self.content.decode("utf-8", "replace")


class Endpoint:
    """The way to the server of `url`: its proxy, whom it trusts, its patience. Sessions share it.

    Raises EnvironmentProblem where the environment names a CA bundle that does not exist.
    """

    def __init__(self, url: str, *, verify: bool = True, timeout: float = PATIENCE) -> None:
        self._timeout = timeout
        self._url = url
        self._route = route_to(url, verify=verify)
        if not verify:
            urllib3.disable_warnings(InsecureRequestWarning)

    def connect(self, name: str) -> Connection:
        """A connection of its own, made at the first request; `name` begins its errors.

        Raises TargetUnavailable where the CA bundle cannot be used.
        """
        pool = self._pool()
        parts = urlsplit(self._url)
        is_forwarded = pool.proxy is not None and parts.scheme == "http"
        origin = f"{parts.scheme}://{parts.netloc}" if is_forwarded else ""
        return Connection(pool, origin, name=name, timeout=self._timeout)

    def _pool(self) -> urllib3.HTTPConnectionPool:
        proxy = select_proxy(self._url, self._route.proxies)
        manager: urllib3.PoolManager
        if proxy is None:
            manager = urllib3.PoolManager(1, maxsize=1, ssl_context=self._context)
        else:  # requests knows about logins and SOCKS
            adapter = HTTPAdapter(pool_connections=1, pool_maxsize=1)
            address = proxy if "://" in proxy else f"http://{proxy}"
            manager = adapter.proxy_manager_for(address, ssl_context=self._context)
        return manager.connection_from_url(self._url)

    @cached_property
    def _context(self) -> ssl.SSLContext | None:
        """Made once, for reading all authorities takes longer than a request."""
        if not self._url.lower().startswith("https:"):
            return None
        trusted = self._route.verify
        if trusted is False:
            return create_urllib3_context(cert_reqs=ssl.CERT_NONE)
        context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
        bundle = Path(DEFAULT_CA_BUNDLE_PATH if trusted is True else trusted)
        try:
            context.load_verify_locations(**{"capath" if bundle.is_dir() else "cafile": str(bundle)})
        except OSError as error:
            message = f"the CA bundle {str(bundle)!r} cannot be used: {error.strerror or error}."
            raise TargetUnavailable(message, transient=False) from None
        return context


class Connection:
    """One connection to one server. Used by one thread.

    `origin` is put before each path: it is for a proxy that reads plain requests, else empty.
    """

    def __init__(self, pool: urllib3.HTTPConnectionPool, origin: str, *, name: str, timeout: float) -> None:
        self._pool = pool
        self._origin = origin
        self._name = name
        self._seconds = timeout
        self._timeout = Timeout(connect=timeout, read=timeout)

    def send(self, request: Request) -> Answer:
        """Send `request` once and read the answer, whatever its status; raises TargetError."""
        try:
            response = self._pool.urlopen(
                request.method,
                self._origin + request.path,
                body=request.body,
                headers=cast("Mapping[str, str]", request.headers),
                retries=False,
                redirect=False,
                assert_same_host=False,
                timeout=self._timeout,
                preload_content=False,
            )
            content = self._read(response)
        except (HTTPError, OSError, ValueError) as error:
            raise network_error(error, self._name, self._seconds) from None
        headers = response.headers
        return Answer(
            response.status,
            response.reason or "",
            content,
            headers.get("Content-Type", ""),
            headers.get("Location"),
            headers.get("Retry-After"),
        )

    def refused(self, answer: Answer, words: str | None = None) -> TargetRejected:
        """The error for an answer whose status is no success; `words` are what it says of the reason."""
        status = f"{answer.status} {answer.reason}"
        if answer.location is not None and 300 <= answer.status < 400:
            words = f"redirects are not followed, and this one leads to {answer.location}"
        elif words is None:
            words = answer.text[:1000]
        return status_error(status, words, said=self._name, retry_after=answer.retry_after)

    def close(self) -> None:
        """Close the connection."""
        self._pool.close()

    def _read(self, response: urllib3.BaseHTTPResponse) -> bytes:
        """All of an answer, up to LARGEST_ANSWER unpacked."""
        content = bounded(response.stream(PIECE))
        if content is None:
            response.close()
            raise TargetProtocolError(sentence(self._name, f"the answer is larger than {LARGEST}"))
        return content
