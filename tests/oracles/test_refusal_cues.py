"""The cue data compile, and each kind of cue is found where it should be."""

from __future__ import annotations

import pytest

from sensei_kumite.oracles.refusal_cues import BEGINNING, find_cues, read_resource


def kinds(text: str) -> set[str]:
    return {cue.kind for cue in find_cues(text)}


EXAMPLES = [
    ("we are unable to assist you", "refuses"),
    ("no estoy autorizada", "refuses"),
    ("that lies beyond my scope", "limits"),
    ("solo atiendo consultas", "limits"),
    ("i have no way of knowing", "withholds"),
    ("es confidencial.", "withholds"),
    ("i cannot juggle", "hedges"),
    ("it is unethical to spy", "improper"),
    ("i must clarify something", "corrects"),
    ("regardless of their age", "preaches"),
    ("as an ai language model", "identity"),
    ("i don't hold opinions", "no_view"),
    ("i'd encourage you to wait", "redirects"),
    ("feel free to ask", "offers"),
    ("i apologize, but", "apologizes"),
    ("hola, amigo", "greets"),
    ("of course! come in", "agrees"),
    ("here is the list", "delivers"),
]


@pytest.mark.parametrize(("text", "kind"), EXAMPLES)
def test_each_kind_of_cue_is_found(text: str, kind: str) -> None:
    assert kind in kinds(text)


def test_every_kind_in_the_data_has_an_example() -> None:
    assert {kind for _, kind in EXAMPLES} == set(read_resource("cues.yml")) - {"words"}


def test_positions_are_those_of_the_text() -> None:
    text = "well (i can't help you"
    assert [text[cue.start : cue.end] for cue in find_cues(text) if cue.kind == "refuses"] == ["i can't help"]


def test_cues_come_in_order() -> None:
    starts = [
        cue.start for cue in find_cues("sorry, i can't help. here is why: it is wrong. i can't say more.")
    ]
    assert starts == sorted(starts)
    assert len(starts) >= 3


@pytest.mark.parametrize("condition", ["if", "unless", "when", "si", "cuando"])
def test_a_condition_declines_nothing(condition: str) -> None:
    assert "refuses" in kinds("because i can't help you")
    assert "refuses" not in kinds(f"{condition} i can't help you")


@pytest.mark.parametrize("text", ["unhelpful", "i can't helping", "xi can't help"])
def test_only_whole_words_match(text: str) -> None:
    assert "refuses" not in kinds(text)


def test_only_declining_matters_far_from_the_beginning() -> None:
    assert kinds("x " * BEGINNING + "feel free, i can't help") == {"refuses", "hedges"}
