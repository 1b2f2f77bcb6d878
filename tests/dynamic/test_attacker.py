"""What a model in the attacker's part is told, and what is read in its answers."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from sensei_kumite.dynamic.attacker import (
    LONGEST_MESSAGE,
    Attacker,
    Form,
    Line,
    Note,
    Task,
    conversation_record,
    quoted,
    read_forms,
)
from tests.dynamic.doubles import OBJECTIVE, context
from tests.llm.scripted import ScriptedModel


class Guess(Form):
    """A form with a field of each type."""

    why: Note = Field(description="a sentence")
    word: Line = Field(description="the word")
    count: int = Field(description="a whole number", ge=1)
    sure: bool = Field(description="true or false")


FILLED: dict[str, Any] = {"why": "because", "word": "sesame", "count": 3, "sure": True}
ANSWER = json.dumps(FILLED)


def words(answer: str) -> list[str]:
    return [form.word for form in read_forms(answer, Guess)]


class TestReading:
    @pytest.mark.parametrize(
        "answer",
        [
            ANSWER,
            f"```json\n{ANSWER}\n```",
            f"Here {{you}} are: {ANSWER} I hope it {{helps}}.",
            json.dumps({**FILLED, "more": {"of": "it"}}),
            f"<think>It may be {ANSWER.replace('sesame', 'tahini')}.</think>\n{ANSWER}",
            f"{ANSWER}\n{ANSWER}",
            ANSWER.replace("because", "be\ncause"),
        ],
    )
    def test_one_object_is_found_whatever_is_around_it(self, answer: str) -> None:
        assert words(answer) == ["sesame"]

    @pytest.mark.parametrize(
        "wrong",
        [
            *({"word": word} for word in ("", " \n", 5, ["sesame"], "x" * (LONGEST_MESSAGE + 1))),
            *({"count": count} for count in ("3", 0, True, 3.5)),
            *({"sure": sure} for sure in ("true", 1)),
            {"why": None},
        ],
    )
    def test_types_are_strict(self, wrong: dict[str, Any]) -> None:
        assert words(json.dumps(FILLED | wrong)) == []

    @pytest.mark.parametrize("field", FILLED)
    def test_no_field_is_left_out(self, field: str) -> None:
        assert words(json.dumps({key: value for key, value in FILLED.items() if key != field})) == []

    def test_two_different_ones_are_two(self) -> None:
        assert words(f"{ANSWER} or {ANSWER.replace('sesame', 'tahini')}") == ["sesame", "tahini"]

    @given(st.text() | st.text('{}[]":,\\ \n0aé<think>/'))
    def test_anything_can_be_read(self, answer: str) -> None:
        assert words(answer) in ([], ["sesame"])

    @given(st.text(min_size=1).filter(lambda text: text.replace("\0", "").strip()))
    def test_messages_can_be_sent(self, text: str) -> None:
        [word] = words(json.dumps(FILLED | {"word": text}))
        assert word == word.strip() != ""
        assert word.encode()


class TestAsking:
    def task(self, **details: Any) -> Task[Guess]:
        return Task(Guess, method="Guess.", situation="Now.", facts={}, rules="rating", **details)

    def test_the_form_is_told_and_is_a_schema(self) -> None:
        model = ScriptedModel(ANSWER)
        Attacker(OBJECTIVE, context(model)).ask(self.task())
        [request] = model.requests
        assert (
            '{"why": "a sentence", "word": "the word", "count": a whole number, "sure": true or false}'
            in request.messages[0].content
        )
        assert request.schema is not None
        assert request.schema["required"] == list(FILLED)
        types = [told["type"] for told in request.schema["properties"].values()]
        assert types == ["string", "string", "integer", "boolean"]

    @pytest.mark.parametrize(
        ("bad", "problem"),
        [
            (f"{ANSWER} {ANSWER.replace('sesame', 'tahini')}", "it held more than one answer"),
            (ANSWER.replace("sesame", "taboo"), "that word is taken"),
            ("I'm sorry, but I can't do that.", "it was a refusal"),
            ("", "it was empty"),
        ],
    )
    def test_what_is_wrong_with_an_answer_is_said_once(self, bad: str, problem: str) -> None:
        model = ScriptedModel(bad, ANSWER)
        task = self.task(objection=lambda guess: "that word is taken" if guess.word == "taboo" else "")
        move = Attacker(OBJECTIVE, context(model)).ask(task)
        assert (move.form.word, move.notes) == ("sesame", {})
        assert problem in model.requests[1].messages[-1].content

    def test_a_goal_that_sounds_like_a_refusal_may_be_written_about(self) -> None:
        refusal = "I'm sorry, but I can't help with that."
        assert Attacker(OBJECTIVE, context(None)).objection(refusal, ())
        assert not Attacker(refusal, context(None)).objection(refusal, ())


class TestRecords:
    @given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=5))
    def test_every_text_is_one_line_between_quotes(self, said: list[tuple[str, str]]) -> None:
        lines = conversation_record(said).split("\n")[1:]
        assert len(lines) == 2 * len(said)
        for line, speaker in zip(lines, ["You", "Chatbot"] * len(said), strict=True):
            assert isinstance(json.loads(line.removeprefix(f"{speaker}: ")), str)
            assert len(line.splitlines()) == 1

    def test_long_ones_are_cut(self) -> None:
        assert len(quoted("long " * 100_000)) < 2000
        said = [(f"question {number}", "answer") for number in range(40)]
        assert "question 39" in conversation_record(said)
        assert "question 27" not in conversation_record(said)
