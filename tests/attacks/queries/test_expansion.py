"""Queries with variables: what is replaced, in which order, and what stays as it was written."""

from __future__ import annotations

import math
import re
import tracemalloc
from collections import deque
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.queries.expansion import read_template, undeclared

NAMES = st.sampled_from(["a", "b", "long_name", "with space", "7*7"])
VALUES = st.text(max_size=8)
VARIABLES = st.dictionaries(NAMES, st.lists(VALUES, min_size=1, max_size=4), max_size=4)
PIECES = st.text(alphabet="ab7*{} \nñ", max_size=6)
QUERIES = st.lists(st.one_of(PIECES, NAMES.map(lambda name: f"{{{{ {name} }}}}")), max_size=8).map("".join)


def texts(query: str, **variables: list[str]) -> list[str]:
    return [text for text, _ in read_template(query, variables).expansions()]


def test_each_value_makes_a_query() -> None:
    assert texts("Say {{ word }}!", word=["one", "two"]) == ["Say one!", "Say two!"]


def test_every_combination_comes_in_the_order_of_the_file() -> None:
    """`who` is declared first, so it changes last, although the query names it second."""
    found = read_template("{{ other }}, {{ who }}", {"who": ["A", "B"], "other": ["x", "y"]})
    assert list(found.expansions()) == [
        ("x, A", {"who": "A", "other": "x"}),
        ("y, A", {"who": "A", "other": "y"}),
        ("x, B", {"who": "B", "other": "x"}),
        ("y, B", {"who": "B", "other": "y"}),
    ]


def test_a_variable_used_twice_has_one_value_at_a_time() -> None:
    assert texts("{{ a }}{{ a }}", a=["1", "2"]) == ["11", "22"]


def test_unused_variables_make_no_queries() -> None:
    assert texts("plain", a=["1", "2"]) == ["plain"]
    assert texts("{{ a }}", a=["1", "2"], b=["3", "4"]) == ["1", "2"]


@pytest.mark.parametrize(
    "query",
    [
        "{{a}}",
        "{{ a}}",
        "{{a }}",
        "{{  a  }}",
        "{{\ta }}",
        "{ a }",
        "{{ b }}",
        "{{ 7*7 }}",
        "{{ A }}",
        "{{ a",
        "{{  }}",
    ],
)
def test_what_is_no_declared_variable_is_sent_as_it_stands(query: str) -> None:
    assert texts(query, a=["1", "2"]) == [query]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("{{{ a }}}", "{X}"),
        ("{{ {{ a }} }}", "{{ X }}"),
        ("{{ b {{ a }}", "{{ b X"),
        ("{{ a }}{{ a }}", "XX"),
        ("{{ a }} }}", "X }}"),
    ],
)
def test_braces_around_a_variable_stay(query: str, expected: str) -> None:
    assert texts(query, a=["X"]) == [expected]


def test_a_value_is_text_and_no_query() -> None:
    assert texts("{{ a }}{{ b }}", a=["{{ b }}"], b=["{{ a }}"]) == ["{{ b }}{{ a }}"]


def test_names_need_not_be_words() -> None:
    assert texts("{{ my name }}{{ 7*7 }}", **{"my name": ["Ann"], "7*7": ["49"]}) == ["Ann49"]


@given(QUERIES, VARIABLES)
def test_there_are_as_many_queries_as_combinations(query: str, variables: dict[str, list[str]]) -> None:
    found = read_template(query, variables)
    assert found.count == math.prod(len(variables[name]) for name in found.variables)
    assert sum(1 for _ in found.expansions()) == found.count


@given(QUERIES, VARIABLES)
def test_text_outside_of_declared_variables_never_changes(
    query: str, variables: dict[str, list[str]]
) -> None:
    """Cutting at the marks by a plain alternation of the declared names says what has to stay."""
    marks = "|".join(re.escape(f"{{{{ {name} }}}}") for name in variables) or "(?!)"
    parts = list(enumerate(re.split(f"({marks})", query)))
    for text, chosen in read_template(query, variables).expansions():
        assert text == "".join(chosen[part[3:-3]] if place % 2 else part for place, part in parts)
        assert all(chosen[name] in variables[name] for name in chosen)


@given(st.text(alphabet="{} abñ\n", max_size=60))
def test_without_variables_every_text_stays(query: str) -> None:
    assert texts(query) == [query]


def test_a_million_combinations_are_never_held() -> None:
    hundred = [f"value {number}" for number in range(100)]
    template = read_template("{{ a }}/{{ b }}/{{ c }}", {"a": hundred, "b": hundred, "c": hundred})
    assert template.count == 1_000_000
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    [(last, _)] = deque(islice(template.expansions(), 20_000), maxlen=1)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert last == "value 1/value 99/value 99"
    assert peak < 50_000


def test_braces_without_end_are_read_in_one_go() -> None:
    """Reading on from each of them to the end of the text would take hours."""
    query = "{{ a" * 300_000
    assert texts(query, a=["1"]) == [query]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("{{ b }} {{ a }} {{ b }} {{ año_1 }}", ["b", "año_1"]),
        ("{{ 7*7 }} {{b}} {{ config.items }} {{ }} {{ a b }}", []),
        ("{{ a }}", []),
    ],
)
def test_undeclared_names_are_those_in_the_form_of_one(query: str, names: list[str]) -> None:
    assert undeclared(query, ["a"]) == names
