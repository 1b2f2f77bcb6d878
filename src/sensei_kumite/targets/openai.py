"""`openai`: whatever speaks the chat-completions API, from a model on this machine to a hosted one.

The server keeps nothing, so the conversation is ours: sent as a whole each time, and free to go back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from sensei_kumite.errors import ConfigurationError, Problem, TargetError, TargetProtocolError
from sensei_kumite.targets.base import TARGETS, Capabilities, Session, Target, TargetSettings
from sensei_kumite.targets.content import text_of
from sensei_kumite.targets.json_answer import read_json, reason_in, reason_of
from sensei_kumite.targets.network import without_secrets
from sensei_kumite.targets.parameters import (
    TIMEOUT,
    VERIFY,
    Parameter,
    address_problems,
    check_parameters,
    public_url,
)
from sensei_kumite.targets.pool import (
    DEFAULT_HEADERS,
    PATIENCE,
    UNVERIFIED,
    Answer,
    Connection,
    Endpoint,
    Request,
)
from sensei_kumite.targets.probe import check_port
from sensei_kumite.targets.variables import Variables
from sensei_kumite.text import excerpt
from sensei_kumite.yaml_scalars import plain

_PARAMETERS = (
    Parameter("base_url", "string", required=True),
    Parameter("model", "string", required=True),
    Parameter("system_prompt", "string", required=False),
    Parameter("api_key_env", "variable", required=False),
    Parameter("temperature", "number", required=False),
    Parameter("extra_body", "mapping", required=False),
    TIMEOUT,
    VERIFY,
)
_OURS: Mapping[str, str] = {
    "messages": "the conversation is made by the campaign",
    "stream": "an answer is read as a whole",
    "model": "it is a parameter of its own",
    "temperature": "it is a parameter of its own",
}
_COMPLETIONS = "/chat/completions"
_WHY_EMPTY: Mapping[str, str] = {
    "content_filter": "the content filter of the server stopped it",
    "length": "the token limit was reached before there was any text",
    "tool_calls": "the model calls a tool instead of saying something",
    "function_call": "the model calls a tool instead of saying something",
}

Message = dict[str, str]


@TARGETS.register("openai")
class OpenAITarget(Target):
    """A chat model behind an OpenAI-compatible endpoint.

    Raises ConfigurationError with everything that is wrong with the parameters, EnvironmentProblem
    where the environment names a CA bundle that does not exist.
    """

    description = "Any OpenAI-compatible chat endpoint: OpenAI, vLLM, Ollama, LM Studio and others."
    capabilities = Capabilities(backtrack=True)

    def __init__(self, settings: TargetSettings) -> None:
        variables = Variables(settings.project)
        values, key = _checked(settings, variables)
        self._url = _completions_url(values["base_url"])
        self._path = urlsplit(self._url).path
        self._model = values["model"]
        self._system_prompt = values.get("system_prompt")
        self._body = {"model": self._model, **plain(values.get("extra_body", {}))}
        if "temperature" in values:
            self._body["temperature"] = values["temperature"]
        self._headers = {**DEFAULT_HEADERS, "Content-Type": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self.secrets = variables.secrets
        verify = values.get("verify", True)
        self.warnings = () if verify else (UNVERIFIED,)
        timeout = settings.timeout or values.get("timeout", PATIENCE)
        self._endpoint = Endpoint(self._url, verify=verify, timeout=timeout)

    def describe(self) -> str:
        """The model, and where it is."""
        return f"openai: {excerpt(self._model, 80)} at {public_url(self._url).removesuffix(_COMPLETIONS)}"

    def open(self) -> Session:
        """A conversation of its own, over a connection of its own."""
        connection = self._endpoint.connect(public_url(self._url))
        return ChatSession(self, connection)

    def probe(self) -> None:
        """Ask for a TCP connection; raises TargetUnavailable where there is none."""
        check_port(self._url)

    def opening(self, system_message: str | None) -> list[Message]:
        """How a conversation begins: with `system_message`, or with the system prompt where it is None."""
        instructions = self._system_prompt if system_message is None else system_message
        return [{"role": "system", "content": instructions}] if instructions else []

    def request(self, messages: Sequence[Message]) -> Request:
        """What asks for the next message of a conversation."""
        body = json.dumps({**self._body, "messages": messages}).encode()
        return Request("POST", self._path, self._headers, body)


class ChatSession(Session):
    """One conversation: the messages so far, of which a failing one never becomes a part."""

    def __init__(self, target: OpenAITarget, connection: Connection) -> None:
        self._target = target
        self._connection = connection
        self._system_message: str | None = None
        self._opening = target.opening(None)
        self._said: list[Message] = []

    def send(self, text: str) -> str:
        """Send the conversation and `text`, return the answer (never empty); raises TargetError."""
        question = {"role": "user", "content": text}
        try:
            answer = self._connection.send(self._target.request([*self._opening, *self._said, question]))
            if not 200 <= answer.status < 300:
                raise self._connection.refused(answer, reason_of(answer))
            reply = _reply_in(answer)
        except TargetError as error:
            raise without_secrets(error, self._target.secrets) from None
        self._said += [question, {"role": "assistant", "content": reply}]
        return reply

    def reset(self) -> bool:
        """Begin a fresh conversation."""
        self._opening = self._target.opening(self._system_message)
        self._said.clear()
        return True

    def backtrack(self) -> bool:
        """Take the last exchange back; False where there is none."""
        taken = self._said[-2:]
        del self._said[-2:]
        return bool(taken)

    def instruct(self, system_message: str | None) -> bool:
        """Begin the conversations that follow with this system message, or with the target's own."""
        self._system_message = system_message
        if not self._said:
            self.reset()
        return True

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _checked(settings: TargetSettings, variables: Variables) -> tuple[dict[str, Any], str]:
    """The parameters' values and the key; raises ConfigurationError with all that is wrong."""
    values, problems = check_parameters(_PARAMETERS, settings.params)
    problems += address_problems("base_url", values)
    problems += _query_problems(values.get("base_url", ""))
    problems += _body_problems(values.get("extra_body", {}))
    name = values.get("api_key_env")
    key = variables.value(name, "api_key_env") if name else ""
    if not key.isprintable() or not key.isascii():
        message = f"the environment variable {name} holds a key that no header can carry."
        problems.append(Problem(message, key="api_key_env"))
    problems += variables.problems(values.get("base_url", ""), confined=settings.confined)
    if problems:
        raise ConfigurationError(problems)
    return values, key


def _query_problems(base_url: str) -> list[Problem]:
    """The path goes on behind `base_url`, so that nothing may stand there."""
    if not re.search(r"[?#]", base_url):
        return []
    message = "the connector parameter 'base_url' should end with the path of the API: no ? and no # in it."
    return [Problem(message, key="base_url")]


def _body_problems(extra: Mapping[str, Any]) -> list[Problem]:
    problems = [
        Problem(f"the connector parameter 'extra_body' must not hold {name!r}: {why}.", key="extra_body")
        for name, why in _OURS.items()
        if name in extra
    ]
    try:
        json.dumps(plain(extra), allow_nan=False)
    except ValueError:
        message = "the connector parameter 'extra_body' holds a number that JSON does not know."
        problems.append(Problem(message, key="extra_body"))
    return problems


def _completions_url(base_url: str) -> str:
    """Where chats are completed: below the path of `base_url`, which is /v1 where it has none."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/").removesuffix(_COMPLETIONS) or "/v1"
    return parts._replace(path=path + _COMPLETIONS).geturl()


def _reply_in(answer: Answer) -> str:
    """The text of a completion: what the model says, or else its refusal. Raises TargetProtocolError."""
    document = read_json(answer)
    choices = document.get("choices") if isinstance(document, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        if said := reason_in(document):
            raise TargetProtocolError(f"the server reports an error: {excerpt(said)}.")
        raise TargetProtocolError(f"unexpected answer: it holds no message: {excerpt(answer.text)}.")
    finish = choice.get("finish_reason")
    for text in (text_of(message.get("content")), message.get("refusal")):
        if isinstance(text, str) and text.strip():
            if finish == "content_filter":
                raise TargetProtocolError("the answer was cut off by a content filter.")
            return text
    finish = "tool_calls" if message.get("tool_calls") else finish
    why = _WHY_EMPTY.get(str(finish), "the message holds no text")
    raise TargetProtocolError(f"empty response: {why}.")
