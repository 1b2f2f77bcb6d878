"""What is kept of a search, and how anything becomes data that a report can hold."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sensei_kumite.dynamic.log import LONGEST_TOLD, Exchange, Judgement, Log, told
from sensei_kumite.models import Verdict

PASSED = Verdict(True, "nothing found", {})
BROKEN = Verdict(False, "found it", {})


def answered(text: str, response: str = "no", verdict: Verdict | None = None, **more: Any) -> Exchange:
    """An exchange that took half a second."""
    return Exchange(text, response, None, 0.5, verdict=verdict, **more)


def failed(text: str, error: str = "gone", **more: Any) -> Exchange:
    """A message that got no answer."""
    return Exchange(text, None, error, 0.5, **more)


@pytest.mark.parametrize(
    ("exchanges", "has_answer"),
    [([], False), ([failed("a")], False), ([answered("a"), failed("b")], True)],
)
def test_one_answer_is_enough(exchanges: list[Exchange], has_answer: bool) -> None:
    assert Log(exchanges).answered is has_answer


def test_the_latest_failure_counts() -> None:
    assert Log([failed("a", "first"), failed("b", "second"), answered("c")]).last_error == "second"
    assert Log([answered("a")]).last_error is None


def test_an_answer_that_came_twice_belongs_to_the_latest_message() -> None:
    log = Log([answered("a", "same"), answered("b", "same"), failed("c")])
    exchange = log.exchange_of("same")
    assert exchange is not None and exchange.text == "b"
    assert log.exchange_of("other") is None


def test_white_space_around_an_answer_does_not_count_and_a_failure_is_no_answer() -> None:
    log = Log([answered("a", " said\n"), answered("b", ""), failed("c")])
    assert log.exchange_of("said") is log.exchanges[0]
    assert log.exchange_of("\tsaid ") is log.exchanges[0]
    assert log.exchange_of(" ") is log.exchanges[1]
    assert Log([failed("c")]).exchange_of("") is None


def test_a_part_of_an_answer_belongs_to_it_where_nobody_said_just_that() -> None:
    log = Log([answered("a", "yes"), answered("b", "oh yes, sure"), answered("c", "sure, yes?"), failed("d")])
    assert log.exchange_of("yes") is log.exchanges[0]
    assert log.exchange_of(" sure ") is log.exchanges[2]
    assert log.exchange_of("oh yes") is log.exchanges[1]
    assert log.exchange_of("  ") is None


def test_the_latest_judgement_of_a_text_counts() -> None:
    log = Log(judgements=[Judgement("x", BROKEN, None), Judgement("x", PASSED, None)])
    assert log.judgement_of("x") is log.judgements[1]
    assert log.judgement_of("y") is None


def test_the_breach_is_the_latest_text_that_did_not_pass() -> None:
    exchange = answered("a")
    log = Log(judgements=[Judgement(text, BROKEN, exchange) for text in ("one", "two")])
    log.judgements += [Judgement("three", PASSED, exchange), Judgement("invented", BROKEN, None)]
    assert log.breach is log.judgements[1]
    assert Log(judgements=log.judgements[2:]).breach is None


def test_the_history_tells_every_exchange() -> None:
    log = Log([answered("a"), answered("b", "x", PASSED), answered("c", "y", BROKEN), failed("d")])
    assert log.history() == [
        {"input": "a", "response": "no", "success": None},
        {"input": "b", "response": "x", "success": False},
        {"input": "c", "response": "y", "success": True},
        {"input": "d", "response": "", "success": None, "error": "gone"},
    ]


def test_both_texts_of_a_history_are_cut() -> None:
    (record,) = Log([answered("i" * 9999, "o" * 9999)]).history()
    assert record["input"].startswith("i" * LONGEST_TOLD + "\n")
    assert record["response"].startswith("o" * LONGEST_TOLD + "\n")
    assert max(map(len, (record["input"], record["response"]))) < LONGEST_TOLD + 20


class TestTold:
    @pytest.mark.parametrize(
        ("value", "data"),
        [
            (None, None),
            (True, True),
            (7, 7),
            (2**64 - 1, 2**64 - 1),
            (2**64, "[65 bits]"),
            (0.5, 0.5),
            (float("inf"), "inf"),
            (float("nan"), "nan"),
            ("x" * LONGEST_TOLD, "x" * LONGEST_TOLD),
            ((1, "b"), [1, "b"]),
            ({"one"}, ["one"]),
            (frozenset({2}), [2]),
            ({1: {None: "x"}}, {"1": {"None": "x"}}),
            (ValueError("odd"), "odd"),
            (b"raw", "b'raw'"),
        ],
    )
    def test_a_value_is_data(self, value: Any, data: Any) -> None:
        assert told(value) == data
        assert type(told(value)) is type(data)

    def test_what_is_too_long_says_so_once(self) -> None:
        cut = told("x" * (LONGEST_TOLD + 1))
        assert cut == "x" * LONGEST_TOLD + "\n[… cut]"
        assert told(cut) == cut

    def test_texts_are_cut_wherever_they_stand(self) -> None:
        assert told([{"a": "x" * 9999}])[0]["a"].endswith("cut]")

    @pytest.mark.parametrize("kind", [dict, list])
    def test_what_holds_itself_ends(self, kind: type[Any]) -> None:
        endless = kind()
        if isinstance(endless, dict):
            endless["again"] = endless
        else:
            endless.append(endless)
        data = json.dumps(told(endless))
        assert f"[{kind.__name__}]" in data

    @settings(max_examples=40)
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers(-999, 999) | st.floats() | st.text() | st.binary(),
            lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
            max_leaves=8,
        )
    )
    def test_json_holds_it(self, value: Any) -> None:
        data = told(value)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
