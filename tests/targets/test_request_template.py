"""The request of the `http` target: what goes where, and what cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sensei_kumite.errors import TargetRejected
from sensei_kumite.targets.pool import DEFAULT_HEADERS, Request
from sensei_kumite.targets.request_template import (
    Body,
    RequestTemplate,
    content_type,
    read_address,
    read_body,
    read_headers,
    with_defaults,
)
from sensei_kumite.targets.template import Slot

ENVIRONMENT = {
    "HOST": "https://b.example:8443",
    "KEY": "k & {{message}}",
    "BROKEN": "a\r\nb",
    "NO": "nowhere",
    "CUT": "x#y",
}
VARIABLE = ENVIRONMENT.__getitem__


def request(
    url: str = "http://a.example/",
    headers: dict[str, Any] | None = None,
    body: Any = None,
    *,
    message: str = "m",
) -> Request:
    templates = read_headers(headers or {}, VARIABLE)
    content_type = (headers or {}).get("Content-Type", "")
    read = read_body(body, content_type, VARIABLE)
    template = RequestTemplate("POST", read_address(url, VARIABLE), with_defaults(templates, read), read)
    return template.fill(message, "s")


def content(body: Any, content_type: str = "", message: str = "m") -> bytes | None:
    return request(
        headers={"Content-Type": content_type} if content_type else {}, body=body, message=message
    ).body


@pytest.mark.parametrize(
    ("url", "base", "path"),
    [
        ("http://a.example", "http://a.example", "/"),
        ("http://a.example:81/x/", "http://a.example:81", "/x/"),
        ("http://a.example?q={{message}}", "http://a.example", "/?q=m%2Fn"),
        ("http://a.example/{{session}}/{{message}}?v=1", "http://a.example", "/s/m%2Fn?v=1"),
        ("${HOST}/x", "https://b.example:8443", "/x"),
        ("http://a.example#top", "http://a.example", "/"),
        ("http://a.example/x?q={{message}}#{{session}}", "http://a.example", "/x?q=m%2Fn"),
        ("http://a.example/${CUT}/{{message}}", "http://a.example", "/x"),
    ],
)
def test_an_address_is_a_base_and_a_path(url: str, base: str, path: str) -> None:
    assert read_address(url, VARIABLE).base == base
    assert request(url, message="m/n").path == path


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("a.example", "begins with http:// or https://, not 'a.example'"),
        ("ftp://a.example", "begins with http"),
        ("http://", "begins with http"),
        ("http://a example/", "begins with http"),
        ("${NO}", r"not '\$\{NO\}'"),
        ("http://a.example/${KEY}", "^names the environment variable KEY, whose value has a blank in it"),
        ("http://{{session}}.example/", "placeholders behind the host"),
        ("http://a.example:{{session}}/", "begins with http"),
        ("${HOST}{{message}}", "begins with http"),
        ("{{message}}", "begins with http"),
        ("http://me:pw@a.example/", "holds a user or password"),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_address(url, VARIABLE)


def test_headers_are_filled_and_completed() -> None:
    sent = request(headers={"X-Bot": "v-{{session}}", "user-agent": "mine ${KEY}"}, body={"a": 1}).headers
    assert sent == {
        "Accept-Encoding": DEFAULT_HEADERS["Accept-Encoding"].encode(),
        "Content-Type": b"application/json",
        "X-Bot": b"v-s",
        "user-agent": b"mine k & {{message}}",
    }


def test_a_message_that_no_header_can_hold_is_refused() -> None:
    for text in ("a\nb", "a\rb", "a\x00"):
        with pytest.raises(TargetRejected, match="the header X-Say cannot hold this message"):
            request(headers={"X-Say": "{{message}}"}, message=text)
    assert request(headers={"X-Say": "{{message}}"}, message="ñ").headers["X-Say"] == "ñ".encode()


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"X Y": "a"}, "no header that can be set"),
        ({"": "a"}, "no header that can be set"),
        ({7: "a"}, "no header that can be set"),
        ({"content-length": "1"}, "no header that can be set"),
        ({"X": 7}, "should map 'X' to a text"),
        ({"X": "a\nb"}, "holds a line break in 'X'"),
        ({"X": "${BROKEN}"}, "holds a line break in 'X'"),
    ],
)
def test_a_header_that_cannot_be_sent_is_refused(headers: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_headers(headers, VARIABLE)


HOSTILE = 'a"}, {{session}} ${KEY} \\ \n <b>&\ud83d'


@pytest.mark.parametrize(
    "body",
    [
        {"m": "{{message}}", "n": [1, "{{session}}"]},
        '{"m": "{{message}}", "n": [1, "{{session}}"]}',
    ],
)
@pytest.mark.parametrize("content_type", ["", "application/json", "application/vnd.bot+json; v=1"])
def test_in_json_a_message_is_put_in_by_structure(body: Any, content_type: str) -> None:
    sent = content(body, content_type, HOSTILE)
    assert sent is not None
    assert json.loads(sent) == {"m": HOSTILE, "n": [1, "s"]}


def test_json_that_is_one_text_has_to_say_so() -> None:
    assert content('"{{message}}"', "application/json", 'a"') == b'"a\\""'
    assert content('"{{message}}"', "", 'a"') == b'"a""'


@pytest.mark.parametrize(
    ("body", "content_type", "message", "sent"),
    [
        ("say {{message}}", "", "ñ\n", "say ñ\n".encode()),
        ("say {{message}}", "text/plain", "half \ud83d", "say half �".encode()),
        (
            "a={{message}}&k=${KEY}",
            "application/x-www-form-urlencoded",
            "x&y=1",
            b"a=x%26y%3D1&k=k+%26+%7B%7Bmessage%7D%7D",
        ),
        ("<say>{{message}}</say>", "text/xml; charset=utf-8", "</say>&", b"<say>&lt;/say&gt;&amp;</say>"),
        (None, "", "m", None),
    ],
)
def test_a_text_is_quoted_for_what_it_is(
    body: str | None, content_type: str, message: str, sent: bytes | None
) -> None:
    assert content(body, content_type, message) == sent


@pytest.mark.parametrize(
    ("body", "content_type", "why"),
    [
        ('{"m": {{message}}}', "application/json", "valid JSON with every placeholder inside of quotes$"),
        ('{"m": {{message}}}', "", "inside of quotes, or have a Content-Type header"),
        (7, "", "should be a text, a mapping or a list"),
        (
            {"a": "b"},
            "application/x-www-form-urlencoded",
            "should be a text for the Content-Type application/x",
        ),
    ],
)
def test_a_body_that_fits_no_type_is_refused(body: Any, content_type: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_body(body, content_type, VARIABLE)


def test_the_slots_of_all_parts_are_known() -> None:
    address, body = read_address("http://a.example/", VARIABLE), Body("application/json", {})
    assert RequestTemplate("GET", address, {}, body).slots == set()
    address = read_address("http://a.example/{{session}}", VARIABLE)
    headers = read_headers({"X": "{{message}}"}, VARIABLE)
    assert RequestTemplate("GET", address, {}, None).slots == {Slot.SESSION}
    assert RequestTemplate("GET", address, headers, None).slots == {Slot.SESSION, Slot.MESSAGE}
    body = read_body("{{message}}", "", VARIABLE)
    assert RequestTemplate("GET", read_address("http://a.example", VARIABLE), {}, body).slots == {
        Slot.MESSAGE
    }


def test_headers_with_a_slot_are_not_constant() -> None:
    headers = read_headers({"X": "{{session}}", "Y": "y ${KEY}", "Content-type": "a/b"}, VARIABLE)
    address = read_address("http://a.example/", VARIABLE)
    constant = {"Y": "y k & {{message}}", "Content-type": "a/b"}
    assert RequestTemplate("GET", address, headers, None).constant_headers == constant
    assert content_type(headers) == "a/b"
    assert content_type({}) == ""
