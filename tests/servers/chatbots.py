"""What the local chatbots have in common: conversations with a memory, and a script that answers."""

from __future__ import annotations

import ssl
import threading

from tests.servers.http import HttpServer
from tests.servers.replies import Message, Player, Reply, Script


class ChatServer(HttpServer):
    """A chatbot that remembers what was said to it.

    `received` are the messages in order of arrival; `said(conversation)` the texts of one of them.
    """

    def __init__(self, script: Script, *, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(tls=tls)
        self.received: list[Message] = []
        self._player = Player(script)
        self._conversations: dict[str, list[str]] = {}
        self._memory = threading.Condition()

    def wait_for(self, count: int) -> None:
        """Wait until that many messages have arrived."""
        with self._memory:
            assert self._memory.wait_for(lambda: len(self.received) >= count, timeout=60)

    def begin(self, conversation: str) -> None:
        """Know `conversation` from now on."""
        with self._memory:
            self._conversations.setdefault(conversation, [])

    def knows(self, conversation: str) -> bool:
        with self._memory:
            return conversation in self._conversations

    def said(self, conversation: str) -> list[str]:
        with self._memory:
            return list(self._conversations[conversation])

    @property
    def conversations(self) -> list[str]:
        with self._memory:
            return list(self._conversations)

    def hear(self, conversation: str, text: str) -> str | Reply:
        """Remember `text` and say what the script answers to it."""
        self.begin(conversation)
        with self._memory:
            texts = self._conversations[conversation]
            message = Message(conversation, text, tuple(texts))
            texts.append(text)
            self.received.append(message)
            self._memory.notify_all()
        return self._player.reply_to(message)
