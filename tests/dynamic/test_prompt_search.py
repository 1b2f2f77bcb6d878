"""The loop of searches that send one candidate after the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice, repeat

from sensei_kumite.dynamic.payload import Carrier
from sensei_kumite.dynamic.prompt_search import PromptSearch, fresh
from sensei_kumite.dynamic.search import SearchContext, SearchOptions
from tests.dynamic.searches.bots import Bot, leaks, resist


class Numbers(PromptSearch[SearchOptions]):
    """Sends numbers; `made` is how many it was asked for."""

    def __init__(self, numbers: Iterator[int]) -> None:
        super().__init__()
        self.made = 0
        self._numbers = numbers

    def candidates(self, carrier: Carrier, options: SearchOptions, context: SearchContext) -> Iterator[str]:
        for number in self._numbers:
            self.made += 1
            yield str(number)


def run(search: Numbers, iterations: int, bot: Bot | None = None) -> object:
    return search.attack({"content": "say X!", "payload": "X"}, bot or Bot(resist), leaks, iterations)


def test_candidates_take_the_place_of_the_payload() -> None:
    run(Numbers(count()), 3, bot := Bot(resist))
    assert bot.heard == ["say 0!", "say 1!", "say 2!"]


def test_no_candidate_is_made_that_is_not_sent() -> None:
    run(search := Numbers(count()), 3)
    assert search.made == 3


def test_it_ends_with_the_candidates() -> None:
    assert run(Numbers(iter([1, 2])), 10)[:2] == (2, False)  # type: ignore[index]


def test_where_there_is_none_that_is_one_failed_try() -> None:
    search = Numbers(iter([]))
    [record] = search.attack({"content": "x"}, bot := Bot(resist), leaks, 5, return_all_attempts=True)
    assert record.error == "With these options no variation of the payload can be made."
    assert bot.heard == []


def test_what_was_sent_is_not_sent_again() -> None:
    assert list(fresh(["a", "b", "a", "c", "b"])) == ["a", "b", "c"]


def test_nothing_new_for_a_while_is_better_than_nothing() -> None:
    assert list(islice(fresh(repeat("a")), 3)) == ["a", "a", "a"]
