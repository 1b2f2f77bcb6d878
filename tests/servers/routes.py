"""A server made of routes, for protocols that one test needs."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping

from tests.servers.http import HttpServer, Request
from tests.servers.replies import Reply, failure

Route = Reply | Callable[[Request], Reply]


class RouteServer(HttpServer):
    """Answers by path, `*` for the others; a route is a reply or a function of the request."""

    def __init__(self, routes: Mapping[str, Route], *, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls=tls)
        self.routes = dict(routes)

    def answer(self, request: Request) -> Reply:
        route = self.routes.get(request.path, self.routes.get("*", failure(404)))
        return route(request) if callable(route) else route
