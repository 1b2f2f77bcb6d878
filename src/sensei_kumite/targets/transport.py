"""The HTTP session that a connector gets from us, in place of the library's own.

It sends each request once: retrying, and counting calls, is the engine's. It keeps one connection
alive. urllib3 looks whether the server has closed it before using it again, so an idle conversation
goes on with a new connection. A connection that breaks while a request is under way is an error and
never a second request: the target may have read the first one, and a conversation must not hear a
message twice without the engine knowing.

An answer is read up to a limit, unpacked, so that no target can fill our memory.

Proxies and CA bundles of the environment are looked up once for every address; requests does it
again for every request, at a price.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.utils import get_environ_proxies, select_proxy

from sensei_kumite.errors import EnvironmentProblem

LARGEST_ANSWER = 16 * 2**20
"""Bytes of an answer, unpacked: more than what is scored takes in JSON with every character escaped."""

LONGEST_DETOUR = 3
"""Redirects that one message may take. Some send it again, and a circle of them would for long."""

PIECE = 2**18
"""Bytes that are taken of an answer at once."""
LARGEST = f"{LARGEST_ANSWER // 2**20} MiB"
_CA_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")

Timeout = float | tuple[float | None, float | None] | None
"""Seconds as requests takes them: for everything, or for connecting and for each wait for data."""


class Route(NamedTuple):
    """How the environment says an address is reached: proxies by scheme, and whom to trust."""

    proxies: dict[str, str]
    verify: bool | str


def route_to(url: str, *, verify: bool = True) -> Route:
    """What HTTP_PROXY, HTTPS_PROXY, NO_PROXY and the CA bundle variables mean for `url`.

    Raises EnvironmentProblem where a variable names a CA bundle that does not exist.
    """
    is_tls = url.lower().startswith("https:")
    trusted = _trusted() if is_tls and verify else verify
    return Route(get_environ_proxies(url, no_proxy=None), trusted)


def proxy_for(url: str) -> str | None:
    """The address of the proxy that the environment names for `url`, None for a direct connection."""
    return select_proxy(url, get_environ_proxies(url, no_proxy=None))


def _trusted() -> bool | str:
    for variable in _CA_VARIABLES:
        bundle = os.environ.get(variable)
        if not bundle:
            continue
        if not os.path.exists(bundle):  # noqa: PTH110  # only asked, never opened here
            raise EnvironmentProblem(
                f"{variable} names the CA bundle {bundle!r}, which does not exist.",
                hint="Correct the variable or unset it.",
            )
        return bundle
    return True


def bounded(pieces: Iterable[bytes]) -> bytes | None:
    """The pieces of an answer as one; None, and no more of them taken, where they come to more than
    LARGEST_ANSWER."""
    taken: list[bytes] = []
    size = 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size > LARGEST_ANSWER:
            return None
    return b"".join(taken)


class AnswerTooLarge(requests.RequestException):
    """An answer that is not read to its end."""


class _BoundedAdapter(HTTPAdapter):
    """Reads answers itself, where requests would read them however long they are."""

    def send(self, request: requests.PreparedRequest, *args: Any, **kwargs: Any) -> requests.Response:
        """Send `request`; raises AnswerTooLarge, and requests' exceptions."""
        response = super().send(request, *args, **kwargs)
        if not kwargs.get("stream") or response.is_redirect:  # requests reads all of a redirect
            _read(response)
        return response


def _read(response: requests.Response) -> None:
    """Read the content of `response` into it, up to LARGEST_ANSWER."""
    content = bounded(response.iter_content(PIECE))
    if content is None:
        response.close()
        raise AnswerTooLarge(f"the answer is larger than {LARGEST}", request=response.request)
    response._content = content


class Transport(requests.Session):
    """A requests session for one conversation. Used by one thread.

    `call_timeout` bounds connecting, and each wait for data, of every request in seconds, whatever
    the connector asks for; None leaves it to the connector. `timeout` is what the latest request was
    given; `outcome` its response, or the exception that it ended with.
    """

    def __init__(self, *, call_timeout: float | None = None, verify: bool = True) -> None:
        super().__init__()
        self.trust_env = False
        self.max_redirects = LONGEST_DETOUR
        self.call_timeout = call_timeout
        self.timeout: Timeout = None
        self.outcome: requests.Response | requests.RequestException | None = None
        self._verifies = verify
        self._routes: dict[tuple[str, str], Route] = {}
        adapter = _BoundedAdapter(pool_connections=2, pool_maxsize=1, max_retries=0)
        self.mount("https://", adapter)
        self.mount("http://", adapter)

    def send(self, request: requests.PreparedRequest, **kwargs: Any) -> requests.Response:
        """Send `request` once, within the time allowed; raises requests' exceptions."""
        if self.call_timeout is not None:
            kwargs["timeout"] = self.call_timeout
        self.timeout = kwargs.get("timeout")
        route = self._route(request.url or "")
        kwargs.update(proxies=route.proxies, verify=route.verify)
        try:
            response = super().send(request, **kwargs)
        except requests.RequestException as error:
            self.outcome = error
            raise
        self.outcome = response
        return response

    def _route(self, url: str) -> Route:
        parts = urlsplit(url)
        address = (parts.scheme, parts.netloc)
        route = self._routes.get(address)
        if route is None:
            route = self._routes[address] = route_to(url, verify=self._verifies)
        return route


class NetworkNeeded(Exception):
    """Raised by an `OfflineTransport` for the request it was asked to send."""

    def __init__(self, url: str) -> None:
        super().__init__(f"would have called {url}")
        parts = urlsplit(url)
        self.address = f"{parts.scheme}://{parts.netloc}"


class OfflineTransport(requests.Session):
    """A session that sends nothing: for looking at a connector without calling anybody."""

    def send(self, request: requests.PreparedRequest, **_: Any) -> requests.Response:
        """Raises NetworkNeeded with the address that `request` was for."""
        raise NetworkNeeded(request.url or "")
