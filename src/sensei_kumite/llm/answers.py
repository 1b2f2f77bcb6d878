"""From what LangChain hands back to text and tokens, whichever provider it came from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sensei_kumite.llm.prices import Usage


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. `usage`, `model` (the name it calls itself) and `finish` (why it stopped) are None
    where the provider does not tell."""

    text: str
    usage: Usage | None = None
    model: str | None = None
    finish: str | None = None


def read_answer(message: Any, *, structured: bool = False) -> Answer:
    """The answer in a LangChain message. `structured`: asked for arguments, so they come before prose."""
    told = getattr(message, "response_metadata", None) or {}
    return Answer(
        text=_text(message, structured),
        usage=_usage(message, told),
        model=_word(told, "model_name", "model"),
        finish=_word(told, "finish_reason", "stop_reason"),
    )


def usage_of_failure(error: BaseException) -> Usage | None:
    """Tokens that were billed although no answer came of them: an answer cut off, or filtered."""
    response: Any = getattr(error, "response", None)
    if not hasattr(response, "json"):
        return None
    try:
        body = response.json()
    except (ValueError, RuntimeError):  # no JSON; a body that was never read
        return None
    told = body.get("usage") if isinstance(body, dict) else None
    return _usage_by_openai(told) if isinstance(told, dict) else None


def _text(message: Any, structured: bool) -> str:
    said = "".join(_spoken(message.content))
    refusal = str(getattr(message, "additional_kwargs", {}).get("refusal") or "")
    arguments = "\n".join(_arguments(message))
    first, second = (arguments, said) if structured else (said, arguments)
    return next((text for text in (first, second, refusal) if text.strip()), "")


def _spoken(content: Any) -> Iterable[str]:
    """The text in a message's content, without reasoning, images and the like."""
    for block in [content] if isinstance(content, str) else content or []:
        if isinstance(block, str):
            yield block
        elif isinstance(block, dict):
            text = block.get("text") or block.get("refusal")
            if block.get("type") in ("text", "output_text", "refusal") and isinstance(text, str):
                yield text


def _arguments(message: Any) -> Iterable[str]:
    """What tools were called with, as JSON, also where it is not quite that."""
    for call in getattr(message, "tool_calls", None) or []:
        yield json.dumps(call.get("args"), ensure_ascii=False)
    for call in getattr(message, "invalid_tool_calls", None) or []:
        yield str(call.get("args") or "")


def _usage(message: Any, told: Mapping[str, Any]) -> Usage | None:
    reported = getattr(message, "usage_metadata", None)
    if isinstance(reported, dict):
        details = reported.get("input_token_details") or {}
        return _tokens(
            reported.get("input_tokens"),
            reported.get("output_tokens"),
            cached=_sum(details, "cache_read"),
            written=_sum(details, "cache_creation", "ephemeral"),
        )
    by_openai = told.get("token_usage") or told.get("usage")
    return _usage_by_openai(by_openai) if isinstance(by_openai, dict) else None


def _usage_by_openai(told: Mapping[str, Any]) -> Usage | None:
    """As chat completions report it, and the many servers that speak like them."""
    details = told.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return _tokens(told.get("prompt_tokens"), told.get("completion_tokens"), cached=cached)


def _tokens(sent: Any, received: Any, *, cached: Any = 0, written: Any = 0) -> Usage | None:
    """Counts that make sense; None where the provider counts in another way than in tokens."""
    if not (_is_count(sent) and _is_count(received)):
        return None
    cached = min(cached, sent) if _is_count(cached) else 0
    written = min(written, sent - cached) if _is_count(written) else 0
    return Usage(sent, received, cached, written)


def _sum(details: Mapping[str, Any], *kinds: str) -> int:
    """Tokens of these kinds, whatever service tier their names begin or end with."""
    return sum(
        count for name, count in details.items() if _is_count(count) and any(kind in name for kind in kinds)
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _word(told: Mapping[str, Any], *names: str) -> str | None:
    return next((told[name] for name in names if told.get(name) and isinstance(told[name], str)), None)
