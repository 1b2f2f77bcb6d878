from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.custom.oracles import OracleTemplate
from sensei_kumite.attacks.custom.placeholders import LONGEST_TEXT
from sensei_kumite.attacks.custom.where import where_at
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath, parse_yaml

TEXT = """\
cases:
  - prompt: x
    oracle:
      type: some
      params:
        one: "{{a}} {{{{b}}}}"
        two: ["{{c}}", 3]
"""


def template(text: str = TEXT) -> OracleTemplate:
    where = where_at(parse_yaml(text, Path("x.yml")), ("cases", 0, "oracle"))
    oracle = where.document.data["cases"][0]["oracle"]
    return OracleTemplate(OracleSpec(oracle["type"], oracle["params"]), where)


def test_parameters_are_filled_in_but_for_keys_and_the_type() -> None:
    spec = OracleSpec("{{a}}", {"{{a}}": ["{{a}}", {"deep": "{{b}}"}, 1]})
    filled = OracleTemplate(spec).filled({"a": "x", "b": "y"})
    assert filled == OracleSpec("{{a}}", {"{{a}}": ["x", {"deep": "y"}, 1]})
    assert OracleTemplate(spec).names == {"a", "b"}


def checked(values: dict[str, str], *places: YamlPath) -> tuple[list[str], list[OracleSpec]]:
    """What is told when the oracle is found wrong at these places of it; and what was looked at."""
    seen: list[OracleSpec] = []

    def check(spec: OracleSpec, document: Document, path: YamlPath) -> list[Problem]:
        seen.append(spec)
        return [
            Problem(f"cases[1] > oracle: wrong at {place}", document.place((*path, *place)))
            for place in places
        ]

    return [problem.message for problem in template().problems(values, check)], seen


def test_what_has_no_value_yet_is_not_complained_about() -> None:
    one, two = ("params", "one"), ("params", "two", 0)
    told, [spec] = checked({"a": "x"}, one, two)
    assert told == ["cases[1] (custom_1) > oracle: wrong at ('params', 'one')"]
    assert spec.params["one"] == "x {{b}}"
    told, [spec] = checked({"a": "x", "c": "y"}, one, two)
    assert len(told) == 2
    assert spec.params == {"one": "x {{b}}", "two": ["y", 3]}


def test_the_oracle_of_an_entry_is_checked_where_it_stands() -> None:
    def check(*_: Any) -> list[Problem]:
        raise AssertionError

    assert OracleTemplate(OracleSpec("some", {"one": "{{a}}"})).problems({}, check) == []


def test_parameters_do_not_grow_without_end() -> None:
    [told], seen = checked({"a": "x" * LONGEST_TEXT, "c": "y"})
    assert "characters" in told
    assert seen == []


@pytest.mark.parametrize(("has_place", "owner"), [(True, "the file"), (False, "the entry")])
def test_the_owner_is_named(has_place: bool, owner: str) -> None:
    one = template()
    assert OracleTemplate(one.spec, one.where if has_place else None).owner == owner
