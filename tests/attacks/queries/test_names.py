"""What cases are called: readable, and no two alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.queries.names import Namer, slug


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Query 1", "query-1"),
        ("  Say 'Hi'!  ", "say-hi"),
        ("a_b/c.d@e", "a-b-c-d-e"),
        ("¿Qué tal, Ñandú?", "qué-tal-ñandú"),
        ("n\u0303", "ñ"),
        ("नमस्ते दुनिया", "नमस्ते-दुनिया"),
        ("", "query"),
        ("!!!", "query"),
        ("x" * 200, "x" * 80),
        ("x" * 79 + " y", "x" * 79),
    ],
)
def test_a_slug_is_letters_digits_and_dashes(text: str, expected: str) -> None:
    assert slug(text) == expected


def test_repeated_names_are_numbered() -> None:
    namer = Namer()
    given_out = [namer.name(text) for text in ("Say hi", "say HI!", "Say hi 2", "Other", "Say hi")]
    assert given_out == ["say-hi", "say-hi.2", "say-hi-2", "other", "say-hi.3"]


@given(st.lists(st.text(max_size=4), max_size=30))
def test_no_name_is_given_out_twice(names: list[str]) -> None:
    namer = Namer()
    found = [namer.name(name) for name in names]
    assert len({*found}) == len(found)


@given(st.text())
def test_a_slug_leaves_out_what_makes_names_unique(text: str) -> None:
    assert not {*slug(text)} & {*"._@ "}
