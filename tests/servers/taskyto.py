"""A chatbot that speaks Taskyto's protocol: conversations are opened, then addressed by their id."""

from __future__ import annotations

import ssl
import uuid

from tests.servers.chatbots import ChatServer
from tests.servers.http import Request
from tests.servers.replies import Reply, Script, failure, json_reply


class TaskytoServer(ChatServer):
    """Refuses ids it did not give out. `opening` replaces its answer to a new conversation."""

    def __init__(
        self, script: Script, *, opening: Reply | None = None, tls: ssl.SSLContext | None = None
    ) -> None:
        super().__init__(script, tls=tls)
        self.opening = opening

    def answer(self, request: Request) -> Reply:
        if request.method != "POST":
            return failure(405)
        if request.path == "/conversation/new":
            return self.opening or self._open()
        if request.path == "/conversation/user_message":
            return self._message(request)
        return failure(404)

    def _open(self) -> Reply:
        conversation = uuid.uuid4().hex
        self.begin(conversation)
        return json_reply({"id": conversation})

    def _message(self, request: Request) -> Reply:
        sent = request.json()
        if not self.knows(sent["id"]):
            return failure(404, detail="unknown conversation")
        reply = self.hear(sent["id"], sent["message"])
        return reply if isinstance(reply, Reply) else json_reply({"message": reply})
