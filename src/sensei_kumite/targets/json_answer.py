"""Answers in JSON: read, and searched for the reason of a failure."""

from __future__ import annotations

import json
from typing import Any

from sensei_kumite.errors import TargetProtocolError
from sensei_kumite.targets.network import network_error
from sensei_kumite.targets.pool import Answer
from sensei_kumite.text import excerpt

_REASONS = ("message", "error", "detail", "error_description", "msg")


def read_json(answer: Answer) -> Any:
    """The document that `answer` is; raises TargetProtocolError where it is none."""
    text = answer.text
    try:
        return json.loads(text)
    except ValueError:
        found = repr(excerpt(text, 120)) if text.strip() else "it is empty"
        raise TargetProtocolError(f"the answer is not JSON: {found} (HTTP {answer.status}).") from None
    except RecursionError as error:
        raise network_error(error, "", None) from None


def reason_in(document: Any) -> str | None:
    """What a document says of a failure, where it does so in one of the usual places."""
    outer = document if isinstance(document, dict) else {}
    inner = outer.get("error")
    for place in (inner if isinstance(inner, dict) else {}, outer):
        for name in _REASONS:
            if isinstance(place.get(name), str) and place[name].strip():
                return str(place[name])
    return None


def reason_of(answer: Answer) -> str | None:
    """The same for an answer that may be anything; None where its text has to speak for itself."""
    try:
        return reason_in(read_json(answer))
    except TargetProtocolError:
        return None
