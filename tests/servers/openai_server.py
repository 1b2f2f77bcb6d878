"""A model server that speaks the chat-completions API, with scripted answers, moods and a memory."""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.servers.http import HttpServer, Request
from tests.servers.replies import Message, Player, Reply, Script, json_reply


def tokens(prompt: int, completion: int, *, cached: int | None = None) -> dict[str, Any]:
    """What a server reports to have counted."""
    usage: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    return usage if cached is None else usage | {"prompt_tokens_details": {"cached_tokens": cached}}


USAGE = tokens(100, 20)


@dataclass(frozen=True)
class Asked(Message):
    """A request to complete a chat: `text` is the last message, `conversation` the model it is meant for."""

    body: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""

    @property
    def schema(self) -> Any:
        """The JSON Schema that the answer should follow; None for prose."""
        form = self.body.get("response_format") or {}
        if form.get("type") == "json_schema":
            return form["json_schema"]["schema"]
        tool = self.forced_tool
        return next((one["parameters"] for one in self._functions if one["name"] == tool), None)

    @property
    def forced_tool(self) -> str | None:
        """The tool that has to be called; None where the model may talk."""
        choice = self.body.get("tool_choice")
        return choice["function"]["name"] if isinstance(choice, dict) else None

    @property
    def _functions(self) -> list[dict[str, Any]]:
        return [tool["function"] for tool in self.body.get("tools", [])]


@dataclass(frozen=True)
class Answer(Reply):
    """A completion. A text of a script is one with that text, and the server's usage.

    `calls` are the arguments of tool calls, as JSON or not. `model` is what the server calls itself.
    """

    text: str | None = None
    refusal: str | None = None
    calls: tuple[str, ...] = ()
    usage: Mapping[str, Any] | None = field(default_factory=lambda: USAGE)
    model: str | None = None
    finish: str = "stop"


def error(status: int, message: str, *, retry_after: str | None = None, **details: str) -> Reply:
    """An error as this API writes them. `{key}` in the message becomes the key that was sent."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    body = {"error": {"message": message, "type": "error", "param": None, "code": None} | details}
    return json_reply(body, status=status, headers=headers)


class OpenAIServer(HttpServer):
    """Completes chats by a script.

    `models` are those it knows (None: all), `key` the one it wants, `rejects` the parameters it turns down,
    `usage` what it reports for plain texts (None: nothing).
    """

    def __init__(
        self,
        script: Script,
        *,
        models: Collection[str] | None = None,
        key: str | None = None,
        rejects: Collection[str] = (),
        usage: Mapping[str, Any] | None = USAGE,
    ) -> None:
        super().__init__()
        self.asked: list[Asked] = []
        self.rejects = rejects
        self._models, self._key, self._usage = models, key, usage
        self._player = Player(script)
        self._memory = threading.Condition()

    @property
    def base_url(self) -> str:
        """What belongs into `base_url`."""
        return f"{self.url}/v1"

    def wait_for(self, count: int) -> None:
        """Wait until that many chats were to be completed."""
        with self._memory:
            assert self._memory.wait_for(lambda: len(self.asked) >= count, timeout=60)

    def answer(self, request: Request) -> Reply:
        path = request.path.partition("?")[0].removeprefix("/v1")
        if (request.method, path) == ("GET", "/models"):
            known = [{"id": name, "object": "model"} for name in self._models or ("gpt-4o-mini",)]
            return json_reply({"object": "list", "data": known})
        if (request.method, path) != ("POST", "/chat/completions"):
            return error(404, f"Invalid URL ({request.method} {path})")
        asked = _asked(request)
        with self._memory:
            self.asked.append(asked)
            self._memory.notify_all()
        reply = self._objection(asked) or self._played(asked)
        return self._with_key(reply, asked.key)

    def _objection(self, asked: Asked) -> Reply | None:
        if self._key is not None and asked.key != self._key:
            return error(401, "Incorrect API key provided: {key}.", code="invalid_api_key")
        if self._models is not None and asked.conversation not in self._models:
            return error(404, f"The model `{asked.conversation}` does not exist.", code="model_not_found")
        for name in self.rejects:
            if name in asked.body:
                return error(400, f"Unsupported parameter: '{name}' is not supported.", param=name)
        return None

    def _played(self, asked: Asked) -> Reply:
        reply = self._player.reply_to(asked)
        if isinstance(reply, str):
            reply = Answer(text=reply, usage=self._usage)
        return _completed(reply, asked, len(self.asked)) if isinstance(reply, Answer) else reply

    def _with_key(self, reply: Reply, key: str) -> Reply:
        return replace(reply, body=reply.body.replace(b"{key}", key.encode()))


def _asked(request: Request) -> Asked:
    body = request.json()
    texts = [_plain(message.get("content")) for message in body["messages"]]
    headers = {name.lower(): value for name, value in request.headers.items()}
    key = headers.get("authorization", "").removeprefix("Bearer ")
    return Asked(body["model"], texts[-1], tuple(texts[:-1]), body, key)


def _plain(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content)


def _completed(answer: Answer, asked: Asked, number: int) -> Reply:
    """The answer as a completion; a tool that had to be called is called with the text."""
    calls, text, tool = answer.calls, answer.text, asked.forced_tool or "answer"
    if asked.forced_tool and text is not None:
        calls, text = (text,), None
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": answer.refusal}
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{place}", "type": "function", "function": {"name": tool, "arguments": arguments}}
            for place, arguments in enumerate(calls)
        ]
    completion: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": answer.model or asked.conversation,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
    }
    return json_reply(completion if answer.usage is None else completion | {"usage": answer.usage})
