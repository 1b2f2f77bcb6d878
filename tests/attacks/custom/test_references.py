from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.custom.references import cycles, in_order, reach

GRAPHS = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefghxy"), max_size=4))


def test_a_circle_is_told_from_its_first_name_in_the_direction_of_use() -> None:
    assert cycles({"z": ["c"], "a": ["b"], "b": ["c"], "c": ["a"]}) == [["a", "b", "c", "a"]]
    assert cycles({"a": ["a"]}) == [["a", "a"]]


def test_circles_apart_are_all_told() -> None:
    assert cycles({"a": ["b"], "b": ["a"], "c": ["c"], "d": ["a", "c"]}) == [["a", "b", "a"], ["c", "c"]]


@given(st.integers(1, 3000), st.integers(0, 50))
def test_circles_of_any_length_are_found(length: int, tail: int) -> None:
    uses = {f"t{number}": [f"t{number + 1}"] for number in range(tail)}
    uses |= {f"t{tail}": ["n0"]}
    uses |= {f"n{number}": [f"n{(number + 1) % length}"] for number in range(length)}
    assert cycles(uses) == [[*(f"n{number}" for number in range(length)), "n0"]]


@given(GRAPHS)
def test_without_the_names_of_the_circles_there_is_an_order(uses: dict[str, list[str]]) -> None:
    circles = cycles(uses)
    for circle in circles:
        assert circle[0] == circle[-1]
        assert all(following in uses[name] for name, following in pairwise(circle))
    broken = {name for circle in circles for name in circle}
    left = {name: [] if name in broken else used for name, used in uses.items()}
    order = in_order(left)
    assert sorted(order) == sorted(uses)
    for name, used in left.items():
        assert all(order.index(other) < order.index(name) for other in used if other in left)


def test_there_is_no_order_in_a_circle() -> None:
    with pytest.raises(ValueError, match="cycle"):
        in_order({"a": ["b"], "b": ["a"]})


@given(GRAPHS)
def test_what_is_reached_leads_nowhere_else(uses: dict[str, list[str]]) -> None:
    reached = reach("a", uses)
    assert "a" in reached
    assert all(other in reached for name in reached for other in uses.get(name, []))


def test_only_what_is_led_to_is_reached() -> None:
    assert reach(["a"], {"a": ["b"], "b": ["x"], "c": ["a"]}) == {"a", "b", "x"}
