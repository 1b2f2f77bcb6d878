"""Answers in JSON, and the reason of a failure in one of its usual places."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sensei_kumite.errors import TargetProtocolError
from sensei_kumite.targets.json_answer import read_json, reason_in, reason_of
from sensei_kumite.targets.pool import Answer


def answer(content: bytes, content_type: str = "application/json") -> Answer:
    return Answer(200, "OK", content, content_type, None, None)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ({"error": {"message": "no luck", "type": "x"}}, "no luck"),
        ({"error": "no luck"}, "no luck"),
        ({"detail": "no luck"}, "no luck"),
        ({"message": "outer", "error": {"message": "inner"}}, "inner"),
        ({"error": {"code": 7}, "message": "no luck"}, "no luck"),
        ({"error": " "}, None),
        ({"error": ["no luck"]}, None),
        ({}, None),
        (["no luck"], None),
        (None, None),
    ],
)
def test_the_reason_is_found_where_servers_write_it(document: Any, reason: str | None) -> None:
    assert reason_in(document) == reason
    assert reason_of(answer(json.dumps(document).encode())) == reason


def test_what_is_no_json_has_no_reason_in_it() -> None:
    assert reason_of(answer(b"<h1>Bad Gateway</h1>")) is None


@pytest.mark.parametrize("content", [b"", b" ", b"{", b"hello", b"\xff\xfe{", b"[" * 200_000])
def test_what_is_no_json_is_an_error(content: bytes) -> None:
    with pytest.raises(TargetProtocolError, match=r"not JSON|unexpected answer \(RecursionError"):
        read_json(answer(content))


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b'"caf\xc3\xa9"', "café"),
        (b'"caf\xe9"', "caf�"),
        (b'\xef\xbb\xbf"hi"', "hi"),
        (b'"\\ud83d"', "\ud83d"),
    ],
)
def test_bytes_that_are_no_characters_do_not_matter(content: bytes, value: str) -> None:
    assert read_json(answer(content)) == value
