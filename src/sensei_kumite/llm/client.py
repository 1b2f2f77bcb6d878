"""The one way to call a model: LangChain's chat models behind our `Model`, paid for from the ledger."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from threading import Lock
from typing import Any, cast

from pydantic import ValidationError

from sensei_kumite.errors import ModelError
from sensei_kumite.llm.answers import Answer, read_answer, usage_of_failure
from sensei_kumite.llm.failures import Failures
from sensei_kumite.llm.ledger import Call, Ledger
from sensei_kumite.llm.providers import Access
from sensei_kumite.llm.requests import Model, ModelSettings, Request
from sensei_kumite.text import redact, replace_surrogates

TIMEOUT = 60.0
"""Seconds for one attempt at a call."""
RETRIES = 2
"""Further attempts by the provider's library, which waits in between and heeds Retry-After."""

# What a server may not accept; it is left out from then on.
_TEMPERATURE, _SCHEMA = "temperature", "schema"
_NOT_ACCEPTED = (400, 422)
# LangChain's modules import each other in circles, which several threads at once would not survive.
_SETTING_UP = Lock()


class ChatModel(Model):
    """A model of LangChain. Made without importing it; the first call does. Used by many threads."""

    def __init__(
        self,
        settings: ModelSettings,
        ledger: Ledger,
        *,
        access: Access,
        timeout: float = TIMEOUT,
        retries: int = RETRIES,
    ) -> None:
        self.settings = settings
        self._ledger = ledger
        self._access = access
        self._options: dict[str, Any] = {"timeout": timeout, "max_retries": retries}
        self._failures = Failures(settings, timeout, access.secrets)
        self._lock = Lock()
        self._chats: dict[float | None, Any] = {}
        self._unwanted: frozenset[str] = frozenset()

    def complete(self, request: Request) -> str:
        """The model's answer, never empty, with secrets blanked; raises ModelError and BudgetReached.

        What the server turns down (a temperature, a schema) is left out, and not tried again.
        """
        unwanted = self._unwanted
        while True:
            try:
                text = self._ask(request, unwanted)
            except ModelError as error:
                objection = _objection(error, request, unwanted)
                if objection is None:
                    raise
                unwanted |= {objection}
            else:
                with self._lock:
                    self._unwanted |= unwanted
                return text

    def _ask(self, request: Request, unwanted: frozenset[str]) -> str:
        """One call, without what is unwanted."""
        self._ledger.before_call()
        schema = None if _SCHEMA in unwanted else request.schema
        temperature = self.settings.temperature if request.temperature is None else request.temperature
        with self._failures.explained("cannot be set up"):
            ask = _asker(self._chat(None if _TEMPERATURE in unwanted else temperature), schema)
        with self._failures.explained():
            try:
                answer = read_answer(ask(_messages(request)), structured=schema is not None)
            except Exception as error:
                if usage := usage_of_failure(error):
                    self._record(request, Answer("", usage))
                raise
        self._record(request, answer)
        if not answer.text.strip():
            raise self._failures.empty(answer.finish)
        return self._blanked(answer.text)

    def _record(self, request: Request, answer: Answer) -> None:
        settings = self.settings
        sent = "\n\n".join(f"{message.role}: {message.content}" for message in request.messages)
        self._ledger.record(
            Call(
                subject=request.subject,
                module=settings.role.value,
                models=(settings.model, *([answer.model] if answer.model else [])),
                provider=settings.provider,
                usage=answer.usage,
                sent=self._blanked(sent),
                received=self._blanked(answer.text),
                base_url=settings.base_url,
            )
        )

    def _blanked(self, text: str) -> str:
        return redact(text, self._access.secrets)

    def _chat(self, temperature: float | None) -> Any:
        """LangChain's model for a temperature, None for the model's own; made once."""
        with _SETTING_UP:
            if temperature not in self._chats:
                self._chats[temperature] = self._build(temperature)
            return self._chats[temperature]

    def _build(self, temperature: float | None) -> Any:
        from langchain.chat_models import init_chat_model

        # It warns of what we find out and settle ourselves.
        warnings.filterwarnings("ignore", module="langchain_openai")
        for name, value in self._access.exports.items():
            os.environ.setdefault(name, value)
        optional = {
            "temperature": temperature,
            "base_url": self.settings.base_url,
            "api_key": self._access.api_key,
        }
        options = self._options | {name: value for name, value in optional.items() if value is not None}
        make = partial(init_chat_model, self.settings.model, model_provider=self.settings.provider)
        try:
            return make(**options)
        except ValidationError as error:
            unknown = {detail["loc"][-1] for detail in error.errors() if detail["type"] == "extra_forbidden"}
            if not unknown:
                raise
            return make(**{name: value for name, value in options.items() if name not in unknown})


def _asker(chat: Any, schema: Mapping[str, Any] | None) -> Callable[[Any], Any]:
    """How to ask `chat`: for an answer that follows `schema` where its provider can be told so."""
    if schema is None:
        return cast(Callable[[Any], Any], chat.invoke)
    named = {"title": "answer", "description": "The answer, as it was asked for.", **schema}
    try:
        chain = chat.with_structured_output(named, include_raw=True)
    except NotImplementedError:
        return cast(Callable[[Any], Any], chat.invoke)
    return lambda messages: chain.invoke(messages)["raw"]


def _messages(request: Request) -> list[tuple[str, str]]:
    return [(message.role, replace_surrogates(message.content)) for message in request.messages]


def _objection(error: ModelError, request: Request, unwanted: frozenset[str]) -> str | None:
    """What a server that turned a request down may have meant, and was not left out yet."""
    if error.status not in _NOT_ACCEPTED:
        return None
    if _TEMPERATURE not in unwanted and "temperature" in error.message.lower():
        return _TEMPERATURE
    return _SCHEMA if request.schema is not None and _SCHEMA not in unwanted else None
