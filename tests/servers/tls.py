"""A certificate authority of our own, so that local servers can speak TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

import trustme


class Authority:
    """`bundle` is the file that makes clients trust the servers that use a `context()` of it."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.bundle = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self.bundle))

    def context(self, *names: str) -> ssl.SSLContext:
        """For a server that calls itself by `names`; 127.0.0.1 without any."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(*(names or ("127.0.0.1",))).configure_cert(context)
        return context
