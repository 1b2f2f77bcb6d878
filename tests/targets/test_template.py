"""Templates: what is put in stays what it is, whatever kind of text it is put into."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.targets.template import (
    Slot,
    fill_structure,
    in_address,
    is_malformed,
    parse_structure,
    parse_template,
    quote_for,
    slots_in,
    unknown_slots,
)

ENVIRONMENT = {"KEY": "{{message}}", "EMPTY": ""}


def filled(text: str, message: str = "m", session: str = "s") -> str:
    template = parse_template(text, ENVIRONMENT.__getitem__)
    return template.fill({Slot.MESSAGE: message, Slot.SESSION: session})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        ("{{message}}", "m"),
        ("a {{ message }} b {{session}}{{message}}", "a m b sm"),
        ("${KEY} {{message}}", "{{message}} m"),
        ("a${EMPTY}b", "ab"),
        ("{{other}} {message} $KEY", "{{other}} {message} $KEY"),
        ("$${KEY} $$ $${{message}}", "${KEY} $$ ${{message}}"),
    ],
)
def test_placeholders_are_filled_once(text: str, expected: str) -> None:
    assert filled(text) == expected


@given(st.text(), st.text())
def test_what_is_put_in_is_never_looked_at(message: str, session: str) -> None:
    assert (
        filled("<{{message}}|{{session}}|{{message}}>", message, session)
        == f"<{message}|{session}|{message}>"
    )


@pytest.mark.parametrize("message", ["{{session}}", "${KEY}", "{{message}}"])
def test_a_message_brings_no_placeholder_along(message: str) -> None:
    assert filled("{{message}}{{session}}", message) == f"{message}s"


def test_literal_texts_are_joined() -> None:
    assert parse_template("a${KEY}b{{session}}", ENVIRONMENT.__getitem__).parts == (
        "a{{message}}b",
        Slot.SESSION,
    )


def test_unknown_names_are_found() -> None:
    assert list(unknown_slots("{{message}} {{msg}} {{ sesion }} {{a b}} ${X}")) == ["msg", "sesion"]


@pytest.mark.parametrize(
    ("text", "malformed"),
    [
        ("${}", True),
        ("${1}", True),
        ("${MY-KEY}", True),
        ("${nope 3}", True),
        ("Bearer ${sk-proj-1", True),
        ("$KEY ${KEY} {{message}} $${MY-KEY} {KEY} $", False),
    ],
)
def test_a_reference_to_what_is_no_name_is_malformed(text: str, malformed: bool) -> None:
    assert is_malformed(text) is malformed


def test_every_value_of_a_structure_is_filled() -> None:
    structure = {"{{message}}": ["{{message}}", 1, None, {"x": "-{{session}}-"}], "y": True}
    parsed = parse_structure(structure, ENVIRONMENT.__getitem__)
    assert set(slots_in(parsed)) == {Slot.MESSAGE, Slot.SESSION}
    assert fill_structure(parsed, {Slot.MESSAGE: "m", Slot.SESSION: "s"}) == {
        "{{message}}": ["m", 1, None, {"x": "-s-"}],
        "y": True,
    }


@given(st.text())
def test_in_an_address_a_value_is_one_segment_or_one_value(text: str) -> None:
    parts = urlsplit(f"http://a.example/x/{in_address(text)}/y?q={in_address(text)}&r=1")
    assert parts.path.count("/") == 3
    assert "." not in parts.path
    assert parse_qs(parts.query, keep_blank_values=True) == {"q": [text], "r": ["1"]}


@given(st.text())
def test_in_a_form_a_value_stays_a_value(text: str) -> None:
    quoted = quote_for("application/x-www-form-urlencoded; charset=utf-8")
    assert parse_qs(f"a={quoted(text)}&b=1", keep_blank_values=True) == {"a": [text], "b": ["1"]}


@given(st.text(st.characters(codec="utf-8", exclude_categories=["C"], exclude_characters="\u2028\u2029")))
def test_in_markup_a_value_stays_text(text: str) -> None:
    quoted = quote_for("application/soap+xml")(text)
    assert not set("<>\"'") & set(quoted)
    assert fromstring(f"<a b='{quoted}'>{quoted}</a>").text == (text or None)


def test_in_any_other_text_a_value_stands_as_it_is() -> None:
    assert quote_for("text/plain")("a\n<b>&") == "a\n<b>&"
