"""Finding out how a text is set apart as data."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.dynamic.delimiters import Delimiters, find_delimiters, find_mark, mentions_base64


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Data stands between <doc> and </doc>.", [("<doc>", "</doc>")]),
        ('<mail id="7">x</mail><br/>', [("<mail>", "</mail>"), ("<br>", "</br>")]),
        ("```json\n{}\n```", [("```", "```")]),
        ('"""text"""', [('"""', '"""')]),
        ("<<<text>>>", [("<<<", ">>>")]),
        ("==== text ====", [("====", "====")]),
        ("« text »", [("«", "»")]),
        ("[START MAIL] x [END MAIL]", [("[START MAIL]", "[END MAIL]")]),
        ("[BEGIN] x [END]", [("[BEGIN]", "[END]"), ("[START]", "[END]")]),
        ("[DATA] x [/DATA]", [("[DATA]", "[/DATA]")]),
        ("--- <a> ---", [("---", "---"), ("<a>", "</a>")]),
        ('3 < 4 and x == y, isn\'t "it"?', []),
        ("", []),
    ],
)
def test_delimiters_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert find_delimiters(text) == [Delimiters(*each) for each in expected]


@pytest.mark.parametrize("mark", ["^", "\ue000", "~", "|"])
def test_a_mark_between_words_is_found(mark: str) -> None:
    assert find_mark(mark.join(["all", "the", "words", "of", "this", "text", "are", "marked"])) == mark


@pytest.mark.parametrize(
    "text", ["an ordinary text, well-known and it's fine", "a|b c|d e|f g|h i j k l m n o p", "", "x^y"]
)
def test_an_ordinary_text_has_no_mark(text: str) -> None:
    assert find_mark(text) is None


def test_a_mark_may_be_named_in_the_instructions() -> None:
    assert find_mark("", 'The character "^" stands between the words of data.') == "^"
    assert find_mark("", 'Rate it with "*" or more.') is None


@pytest.mark.parametrize(
    ("text", "instructions", "expected"),
    [
        (base64.b64encode(b"This is the mail to be summarised.").decode(), "", True),
        ("", "The document is Base64-encoded.", True),
        ("", "It is in base 64.", True),
        ("A1b2C3d4E5f6A1b2C3d4E5f6A1b2C3d4", "", False),
        ("Ordinarytextwithoutanyspaces" * 2, "", False),
        ("short: aGVsbG8=", "", False),
    ],
)
def test_base64_is_recognised(text: str, instructions: str, expected: bool) -> None:
    assert mentions_base64(text, instructions) is expected


@given(st.text(st.sampled_from("<>[]/ABSTEND «»`=\"'^|-ab \n"), max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for opening, closing in find_delimiters(text):
        assert opening in text or closing in text or opening[1:-1] in text
    find_mark(text, text)
    mentions_base64(text, text)
