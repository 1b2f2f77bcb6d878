"""Whether a target is there at all, asked once before the first case and without sending a message."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from sensei_kumite.errors import TargetUnavailable
from sensei_kumite.targets.network import rejection
from sensei_kumite.targets.parameters import public_url
from sensei_kumite.targets.transport import Transport, proxy_for

_PATIENCE = 5.0
"""Seconds to wait for a sign of life."""

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080, "socks4": 1080}
_REFUSED = frozenset({401, 403})


def check_endpoint(transport: Transport, method: str, url: str, headers: Mapping[str, str]) -> None:
    """Call `url`; raises TargetRejected for 401 and 403 and requests' exceptions where there is no answer.

    Any other status, and any content, shows that somebody is there.
    """
    transport.call_timeout = min(_PATIENCE, transport.call_timeout or _PATIENCE)
    with transport.request(method, url, headers=dict(headers), stream=True) as response:
        if response.status_code in _REFUSED:
            raise rejection(response, f"{public_url(url)} refused the credentials")


def check_port(url: str) -> None:
    """Open a TCP connection to the host of `url`, or to the proxy that leads there, and close it.

    Raises TargetUnavailable with the address and the reason.
    """
    proxy = proxy_for(url)
    parts = urlsplit(proxy or url)
    port = parts.port or _PORTS.get(parts.scheme, 80)
    try:
        socket.create_connection((parts.hostname or "", port), _PATIENCE).close()
    except (OSError, UnicodeError) as error:  # no part of a name may be empty, or longer than 63 letters
        is_late = isinstance(error, TimeoutError)
        reason = f"timed out after {_PATIENCE:g} s" if is_late else getattr(error, "strerror", None)
        through = f"the proxy {public_url(proxy)} for " if proxy else ""
        raise TargetUnavailable(f"{through}{public_url(url)} cannot be reached: {reason or error}.") from None
