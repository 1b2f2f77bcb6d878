"""A chatbot that speaks Rasa's REST channel: a sender and a message in, a list of messages out."""

from __future__ import annotations

from tests.servers.chatbots import ChatServer
from tests.servers.http import Request
from tests.servers.replies import Reply, failure, json_reply

WEBHOOK = "/webhooks/rest/webhook"


class RasaServer(ChatServer):
    """Conversations are senders. A text of the script becomes a list with one message."""

    def answer(self, request: Request) -> Reply:
        if request.method != "POST" or request.path != WEBHOOK:
            return failure(404)
        sent = request.json()
        reply = self.hear(sent["sender"], sent["message"])
        if isinstance(reply, Reply):
            return reply
        return json_reply([{"recipient_id": sent["sender"], "text": reply}])
