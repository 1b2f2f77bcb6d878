"""Where the reply stands in an answer: by path, by pattern, or all of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sensei_kumite.errors import TargetProtocolError
from sensei_kumite.targets.pool import Answer
from sensei_kumite.targets.reply_rules import Path, ReplyRules, read_pattern, read_statuses


def answer(value: Any, status: int = 200) -> Answer:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Answer(status, "OK", content, "application/json", None, None)


def by_path(path: str) -> ReplyRules:
    return ReplyRules(path=Path.parse(path))


def by_pattern(pattern: str) -> ReplyRules:
    return ReplyRules(pattern=read_pattern(pattern))


def test_without_a_rule_the_reply_is_the_whole_text() -> None:
    assert ReplyRules().reply_in(answer(b"Hello!\n")) == "Hello!\n"


@pytest.mark.parametrize(
    ("path", "reply"),
    [("a", "hi"), ("n", "7"), ("f", "1.5"), ("yes", "true"), ("list[*].t", "one\ntwo"), ("list.0.t", "one")],
)
def test_a_path_leads_to_the_reply(path: str, reply: str) -> None:
    document = {"a": "hi", "n": 7, "f": 1.5, "yes": True, "list": [{"t": "one"}, {"t": None}, {"t": "two"}]}
    assert by_path(path).reply_in(answer(document)) == reply


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("gone", "no text at gone"),
        ("null", "no text at null"),
        ("blank", "no text at blank"),
        ("list", "at list is no text but a list"),
        ("map", "at map is no text but a mapping"),
        ("list[*]", r"no text at list\[\*\]"),
    ],
)
def test_where_there_is_no_text_the_response_is_empty(path: str, why: str) -> None:
    document = {"null": None, "blank": " \n", "list": [], "map": {"text": "hi"}}
    with pytest.raises(TargetProtocolError, match=f"empty response: {why}"):
        by_path(path).reply_in(answer(document))


def test_an_empty_response_names_its_status() -> None:
    with pytest.raises(
        TargetProtocolError, match=r"^empty response: no text in the answer: '' \(HTTP 204\)\.$"
    ):
        ReplyRules().reply_in(answer(b"", 204))


def test_a_path_needs_json() -> None:
    with pytest.raises(TargetProtocolError, match="not JSON: 'Hello'"):
        by_path("a").reply_in(answer(b"Hello"))


@pytest.mark.parametrize(
    ("pattern", "reply"),
    [(r"<p>(.*?)</p>", "one"), (r"<p>.*?</p>", "<p>one</p>"), (r"(?s)one(.+)two", "</p>\n<p>")],
)
def test_a_pattern_finds_the_reply(pattern: str, reply: str) -> None:
    assert by_pattern(pattern).reply_in(answer(b"<p>one</p>\n<p>two</p>")) == reply


@pytest.mark.parametrize("pattern", ["<b>(.*)</b>", "(three)?$"])
def test_a_pattern_that_finds_nothing_is_an_empty_response(pattern: str) -> None:
    with pytest.raises(TargetProtocolError, match="empty response: no text where response_regex looks: '<p>"):
        by_pattern(pattern).reply_in(answer(b"<p>one</p>"))


def test_a_pattern_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(TargetProtocolError, match="response_regex needed more than 1 s"):
        by_pattern("(a|a|a|aa)+$").reply_in(answer(b"a" * 5000 + b"b"))


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "(?P<x>"])
def test_a_pattern_that_is_none_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="does not compile"):
        read_pattern(pattern)


@pytest.mark.parametrize(
    ("written", "statuses"),
    [
        (200, {200}),
        ("200", {200}),
        ("200-202, 304", {200, 201, 202, 304}),
        ([200, "301-302"], {200, 301, 302}),
    ],
)
def test_statuses_are_numbers_and_ranges(written: Any, statuses: set[int]) -> None:
    assert read_statuses(written) == statuses


@pytest.mark.parametrize(
    "written", ["", "ok", "300-200", 99, 600, "-200", "100-700", ["200", None], {"a": 1}]
)
def test_what_is_no_status_is_refused(written: Any) -> None:
    with pytest.raises(ValueError, match="should hold statuses from 100 to 599"):
        read_statuses(written)


def test_everything_that_is_no_status_is_told() -> None:
    with pytest.raises(ValueError, match="should hold") as caught:
        read_statuses("200,ok,299-200")
    assert [words.partition("not ")[2] for words in caught.value.args] == ["'ok'", "'299-200'"]


def test_the_servers_id_is_taken_and_kept() -> None:
    rules = ReplyRules(session=Path.parse("id"))
    assert rules.session_in(answer({"id": "c7"}), "") == "c7"
    assert rules.session_in(answer({"id": 8}), "c7") == "8"
    assert rules.session_in(answer({"id": ""}), "c7") == "c7"
    assert rules.session_in(answer({}), "c7") == "c7"
    assert ReplyRules().session_in(answer({}), "ours") == "ours"


def test_an_answer_that_gives_no_id_is_an_error() -> None:
    with pytest.raises(TargetProtocolError, match="holds no conversation id at id"):
        ReplyRules(session=Path.parse("id")).session_in(answer({"reply": "hi"}), "")
