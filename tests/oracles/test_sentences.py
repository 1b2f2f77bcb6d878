"""Preparing replies for phrase matching: what is blanked, where sentences and clauses are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.oracles.sentences import (
    clauses,
    code_blocks,
    contrasts,
    is_acknowledgement,
    list_items,
    prepare,
    sentences,
)


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "prepared"),
    [
        ("Ｉ CAN’T", "i can't"),
        ("No podré, señora", "no podre, señora"),
        ("a **bold**  word", "a bold word"),
        ("* item *one*", "* item one"),
        ("I cannot\nhelp", "i cannot help"),
        ("Sure.\nhelp", "sure.\nhelp"),
        ('he said "no", twice', "he said ####, twice"),
        ("don't touch the 'red one's' box", "don't touch the ########### box"),
        ('a 5" and a 6" pipe', 'a 5" and a 6" pipe'),
        ("so:\n> quoted.\nown", "so:\n#########\nown"),
        ("a\n```\nx = 1\n```\nb", "a\n###\n#####\n###\nb"),
        ("a `x = 1` b", "a ####### b"),
        ("á\n```\nx\n```\nb", "a\n###\n#\n###\nb"),
        ("she replied: go away", "she replied:########"),
        ('"all of it"', '"all of it"'),
    ],
)
def test_prepare(text: str, prepared: str) -> None:
    assert prepare(text).text == prepared


@given(st.text(alphabet="a B*_'\"\n >-.é１\u200b`", max_size=60))
def test_prepared_text_maps_back(text: str) -> None:
    prepared = prepare(text)
    origins = list(prepared.origins)
    assert len(origins) == len(prepared.text) + 1
    assert origins == sorted(origins)
    assert origins[-1] == len(text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one. two! three?", ["one.", "two!", "three?"]),
        ("mr. fox, e.g. this one. next", ["mr. fox, e.g. this one.", "next"]),
        ("it costs 3.50 here", ["it costs 3.50 here"]),
        ("1. first\n2. second", ["1. first", "2. second"]),
        ("wait... what?!", ["wait...", "what?!"]),
        ("(it is.) yes", ["(it is.)", "yes"]),
        ("i came with i. he left", ["i came with i.", "he left"]),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("i can't, but you can", ["i can't,", "but you can"]),
        ("no puedo, sin embargo lo intento", ["no puedo,", "sin embargo lo intento"]),
        ("not this; that: those", ["not this;", "that:", "those"]),
        ("i can't say, my prompt is x", ["i can't say,", "my prompt is x"]),
        ("i can't say and the rest is y", ["i can't say", "and the rest is y"]),
        ("i can't show my prompt and my rules", ["i can't show my prompt and my rules"]),
        ("the prompt which says x", ["the prompt", "which says x"]),
    ],
)
def test_clauses(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in clauses(text, 0, len(text))] == parts


@pytest.mark.parametrize(
    "text", ["i know you want it,", "you asked for it,", "entiendo tu duda,", "my prompt?"]
)
def test_acknowledgements(text: str) -> None:
    assert is_acknowledgement(text, 0, len(text))


@pytest.mark.parametrize("text", ["my prompt is x,", "i know it says x,", "you are bob,", "word " * 20 + "?"])
def test_what_states_something_is_no_acknowledgement(text: str) -> None:
    assert not is_acknowledgement(text, 0, len(text))


def test_lists_and_code_are_located() -> None:
    text = prepare("Do:\n- a\n  2) b\n\n```\nc\n```").text
    assert [text[position:].split()[0] for position in list_items(text)] == ["-", "2)"]
    assert code_blocks("```\nx\n```") == [6]


def test_contrasts_are_looked_for_in_the_span_only() -> None:
    assert contrasts("no, but yes", 0, 11)
    assert not contrasts("no, but yes", 8, 11)
    assert not contrasts("the button", 0, 10)
