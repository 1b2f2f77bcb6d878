"""JSON in what a model wrote, for scripts: read leniently, and asked for again where there is none.

The time to read a text grows with its length and no faster, whatever is in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from sensei_kumite.text import excerpt

T = TypeVar("T")

_LONGEST_REPEATED = 8_000
_LONGEST_INTEGER = 400
_MOST_FAILURES = 200
_OBJECT = re.compile(r"\{(?=\s*[\"}])")
_LIST = re.compile(r"\[")
_TOKEN = re.compile(r'\\.|"', re.DOTALL)
_ENDS_STRING = re.compile(r"\s*(?:[,:}\]]|\Z)")
_COMMA_TOO_MUCH = re.compile(r",(?=\s*[}\]])")


class LLMResponseError(RuntimeError):
    """A model did not answer in the form it was asked for.

    `response` is its last answer, `partial` what could be used of any of them, None where nothing could.
    """

    def __init__(self, message: str, response: str, partial: Any = None) -> None:
        super().__init__(message)
        self.response = response
        self.partial = partial


class _Incomplete(ValueError):
    """Only a part of an answer can be used."""

    def __init__(self, message: str, partial: Any) -> None:
        super().__init__(message)
        self.partial = partial


def parse_json_object(
    text: str, required_keys: Sequence[str] = (), string_keys: Sequence[str] = ()
) -> dict[str, Any]:
    """The first JSON object in `text` with all `required_keys`, and a text under each of `string_keys`.

    Text around it, code fences, commas too much and quotes that were not escaped are tolerated. Raises
    ValueError.
    """
    problem = "there is no JSON object in it"
    found: dict[str, Any]
    for found in _readings(text, _OBJECT):
        lacking = [key for key in (*required_keys, *string_keys) if key not in found]
        wordless = [key for key in string_keys if not _is_text(found.get(key))]
        if not lacking and not wordless:
            return found
        keys = ", ".join(map(repr, lacking or wordless))
        problem = f"{'missing' if lacking else 'no text under'} {keys}"
    raise ValueError(problem)


def parse_jsonl_variations(text: str) -> list[str]:
    """The texts under `variation` of the JSON objects in `text`, usually one a line.

    Raises ValueError where there are none, or an object cannot be read; `partial` of it holds the rest.
    """
    found = [each["variation"] for each in _readings(text, _OBJECT) if _is_text(each.get("variation"))]
    begun = sum(line.lstrip().startswith("{") for line in text.splitlines())
    if not found:
        raise _Incomplete("there is no JSON object with a text under 'variation' in it", [])
    if len(found) < begun:
        raise _Incomplete(f"only {len(found)} of {begun} lines are objects with a 'variation'", found)
    return found


def extract_json_or_fail(text: str) -> Any:
    """The list that `text` begins with, else the first JSON object in it, else the first list.

    Raises RuntimeError.
    """
    first = _LIST if text.lstrip().startswith("[") else _OBJECT
    for opening in (first, _OBJECT, _LIST):
        for found in _readings(text, opening):
            return found
    raise RuntimeError(f"there is no JSON in {excerpt(text, 200)!r}")


def query_structured_response(
    llm: Any,
    messages: Any,
    parser: Callable[[str], T],
    *,
    context: str,
    max_attempts: int = 2,
    format_hint: str = "one complete JSON object",
    repair_guidance: str = "Keep what was right in it, and correct its form.",
) -> T:
    """What `parser` makes of the answer of `llm` to `messages`, which is told what was wrong and asked again
    where that raises ValueError or RuntimeError. `context` says in messages what it was asked for.

    Raises LLMResponseError after `max_attempts`, and whatever `llm.invoke` raises.
    """
    asked = list(messages) if isinstance(messages, (list, tuple)) else [messages]
    answer, reason, partial = "", "", None
    repair: list[dict[str, str]] = []
    if llm is None:
        raise LLMResponseError(f"{context}: there is no model to ask", "")
    for _ in range(max(1, max_attempts)):
        reply = llm.invoke([*asked, *repair])
        answer = str(getattr(reply, "content", reply))
        try:
            return parser(answer)
        except (ValueError, RuntimeError) as error:
            reason, partial = str(error), getattr(error, "partial", None) or partial
        complaint = (
            f"That cannot be read: {excerpt(reason, 300)}. {repair_guidance} Answer with {format_hint} only."
        )
        repair = [
            {"role": "assistant", "content": answer[:_LONGEST_REPEATED]},
            {"role": "user", "content": complaint},
        ]
    raise LLMResponseError(f"{context}: no usable answer: {reason}", answer, partial)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _readings(text: str, opening: re.Pattern[str]) -> Iterator[Any]:
    """The JSON values in `text` that begin as `opening` says; if there are none, those in it repaired."""
    found = False
    for value in _values(text, opening):
        found = True
        yield value
    if not found:
        yield from _values(_repaired(text), opening)


def _values(text: str, opening: re.Pattern[str]) -> Iterator[Any]:
    start, failures = opening.search(text), 0
    while start and failures < _MOST_FAILURES:
        at = start.start()
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:  # which has counted all lines so far, and takes its time
            failures += 1
            end = max(at + 1, error.pos)  # what was read up to there is not read again
        except RecursionError:
            return
        else:
            yield value
        start = opening.search(text, end)


def _repaired(text: str) -> str:
    """`text` without commas before a closing bracket, and with quotes inside of strings escaped."""
    inside = False

    def read(token: re.Match[str]) -> str:
        nonlocal inside
        if token[0] != '"':
            return token[0]
        if inside and not _ENDS_STRING.match(text, token.end()):
            return '\\"'
        inside = not inside
        return '"'

    return _COMMA_TOO_MUCH.sub("", _TOKEN.sub(read, text))


def _integer(digits: str) -> int | float:
    """Python refuses to read endless ones."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


_DECODER = json.JSONDecoder(strict=False, parse_int=_integer)
