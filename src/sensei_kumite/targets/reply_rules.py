"""Which answers of the `http` target are replies, and where the reply and the conversation's id are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import regex

from sensei_kumite.errors import TargetProtocolError
from sensei_kumite.targets.json_answer import read_json
from sensei_kumite.targets.json_path import Step, find_all, parse_path
from sensei_kumite.targets.pool import Answer
from sensei_kumite.text import excerpt

TIME_LIMIT = 1.0
"""Seconds for the pattern that finds a reply."""

SUCCESS = frozenset(range(200, 300))


@dataclass(frozen=True, slots=True)
class Path:
    """A path in a JSON document, with its spelling for messages."""

    written: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str) -> Path:
        """Raises ValueError saying from where on it cannot be read."""
        return cls(text, parse_path(text))

    def texts_in(self, document: Any) -> Iterator[str]:
        """Texts, numbers, true and false that stand there, as text; raises TargetProtocolError for others."""
        for found in find_all(self.steps, document):
            if isinstance(found, (dict, list)):
                kind = "mapping" if isinstance(found, dict) else "list"
                raise TargetProtocolError(f"empty response: at {self.written} is no text but a {kind}.")
            if found is not None:
                yield found if isinstance(found, str) else json.dumps(found)


@dataclass(frozen=True)
class ReplyRules:
    """`path` or `pattern` find the reply, without either it is the whole text; `session` finds the id."""

    statuses: frozenset[int] = SUCCESS
    path: Path | None = None
    pattern: regex.Pattern[str] | None = None
    session: Path | None = None

    def reply_in(self, answer: Answer) -> str:
        """The reply, never empty; raises TargetProtocolError."""
        if self.path is not None:
            reply = "\n".join(self.path.texts_in(read_json(answer)))
            where = f"at {self.path.written}"
        elif self.pattern is not None:
            reply = _matched(self.pattern, answer.text)
            where = "where response_regex looks"
        else:
            reply, where = answer.text, "in the answer"
        if not reply.strip():
            found = f"{excerpt(answer.text, 120)!r} (HTTP {answer.status})"
            raise TargetProtocolError(f"empty response: no text {where}: {found}.")
        return reply

    def session_in(self, answer: Answer, known: str) -> str:
        """The id that the server gives the conversation, else the one that is `known` already.

        Raises TargetProtocolError where there is neither.
        """
        if self.session is None:
            return known
        session = next(filter(None, self.session.texts_in(read_json(answer))), known)
        if not session:
            raise TargetProtocolError(f"the answer holds no conversation id at {self.session.written}.")
        return session


def read_pattern(text: str) -> regex.Pattern[str]:
    """The pattern, ready to search; raises ValueError saying what is wrong with it."""
    try:
        return regex.compile(text)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"does not compile: {error}") from None


def read_statuses(value: Any) -> frozenset[int]:
    """`200`, `"200-299,304"`, or a list of such; raises ValueError with a sentence for each that is none."""
    words = [str(item) for item in value] if isinstance(value, list) else str(value).split(",")
    statuses: set[int] = set()
    wrong: list[str] = []
    for word in words:
        try:
            statuses.update(_statuses(word))
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError(*wrong)
    return frozenset(statuses)


def _statuses(word: str) -> range:
    first, dash, last = word.partition("-")
    try:
        statuses = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        statuses = range(0)
    if not statuses or statuses.start < 100 or statuses.stop > 600:
        raise ValueError(
            f"should hold statuses from 100 to 599, as in 200-299,304, not {excerpt(word, 40)!r}"
        )
    return statuses


def _matched(pattern: regex.Pattern[str], text: str) -> str:
    """The first group of the first match, or all of it where there is none."""
    try:
        match = pattern.search(text, timeout=TIME_LIMIT)
    except TimeoutError:
        limit = f"response_regex needed more than {TIME_LIMIT:g} s for the answer"
        raise TargetProtocolError(f"{limit}, and was stopped.") from None
    if match is None:
        return ""
    return match[1 if pattern.groups else 0] or ""
