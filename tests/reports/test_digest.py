"""What a reader in a hurry is told."""

from __future__ import annotations

from typing import Any

from sensei_kumite.reports.digest import Digest, verdict
from tests.reports.journals import make_row
from tests.reports.searches import searched


def run_of(**outcomes: str) -> Digest:
    """A run in which each attack has the given results: b(reached), r(esilient), p(otential), e(rror)."""
    words = {"b": "breached", "r": "resilient", "p": "breached", "e": "error"}
    rows: list[dict[str, Any]] = []
    for attack, letters in outcomes.items():
        for letter in letters:
            metadata = {"weight": "Potential"} if letter == "p" else {}
            rows.append(make_row(len(rows), words[letter], attack=attack, metadata=metadata))
    return Digest(rows)


def test_the_attack_that_surely_succeeds_most_often_is_the_worst() -> None:
    # One of one says less than nine of ten: its interval begins at 21 %, not at 60 %.
    digest = run_of(lucky="b", strong="bbbbbbbbbr", harmless="rr", unknown="e")
    assert [attack.name for attack in digest.worst] == ["strong", "lucky", "harmless", "unknown"]
    assert [attack.name for attack in digest.broken] == ["strong", "lucky"]


def test_equals_stand_in_the_order_of_the_plan() -> None:
    assert [attack.name for attack in run_of(second="b", first="b").worst] == ["second", "first"]


def test_the_first_confirmed_breach_of_an_attack_is_its_example() -> None:
    digest = run_of(one="rpbb", other="p")
    assert {name: example.case_id for name, example in digest.breaches.items()} == {"one": "amnesia_3"}
    assert digest.potential is not None
    assert digest.potential.case_id == "amnesia_2"


def test_an_example_has_its_texts_on_a_line_each() -> None:
    example = Digest([make_row(0, "breached", prompt="a\n\nb", response="x" * 1000)]).breaches["amnesia"]
    assert example.prompt == "a b"
    assert len(example.response) < 1000
    assert example.response.endswith("…")


def test_errors_are_counted_by_message() -> None:
    rows = [make_row(index, "error", errors=[{"chatbot": text}]) for index, text in enumerate("aba")]
    assert Digest(rows).errors == {"a": 2, "b": 1}


def test_a_search_is_told_of_by_the_row_that_decides_it() -> None:
    digest = Digest([*searched(0, "resilient", "error", "breached"), *searched(1, "resilient", "error")])
    assert digest.breaches["amnesia"].case_id == "amnesia_1-attack-2"
    assert (digest.total.attempts, sum(digest.errors.values())) == (2, 1)


def test_the_verdict_is_one_sentence() -> None:
    assert verdict(run_of(one="bre").total) == (
        "1 confirmed breach in 2 scored attempts: 50% (95% interval 9% to 91%)."
    )
    assert "nothing is known" in verdict(run_of(one="pe").total)
