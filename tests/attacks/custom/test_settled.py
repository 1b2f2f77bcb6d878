from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.custom.placeholders import LONGEST_TEXT
from sensei_kumite.attacks.custom.scope import CONTEXT, Scope
from sensei_kumite.attacks.custom.settled import Settled, settle
from sensei_kumite.attacks.custom.text_files import TextFiles
from sensei_kumite.attacks.custom.variables import Variable
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.yaml_reader import parse_yaml
from tests.attacks.build import found
from tests.attacks.custom.reading import put

ASKED = {"value": {"generate": {"prompt": "write {{a}}", "fallback": "f"}}}


def settled(folder: Path, variables: dict[str, Any]) -> Settled:
    """What these variables come to; a text is a static one."""
    declared = {
        name: Variable.model_validate({"value": given} if isinstance(given, str) else given)
        for name, given in variables.items()
    }
    where = Where(parse_yaml("{}", Path("x.yml"))).step("variables")
    return settle(declared, where, Scope(declared, True, "Sells tea."), TextFiles(partial(found, folder)))


def path(text: str) -> dict[str, str]:
    return {"type": "path", "value": text}


def test_texts_use_texts_and_the_context(tmp_path: Path) -> None:
    result = settled(tmp_path, {"late": "{{early}} {{{{x}}}}", "early": "<{{context.target_context}}>"})
    assert result.values == {CONTEXT: "Sells tea.", "early": "<Sells tea.>", "late": "<Sells tea.> {{x}}"}
    assert result.order == ("early", "late")
    assert result.problems == ()


def test_values_are_not_looked_at_again(tmp_path: Path) -> None:
    assert settled(tmp_path, {"a": "{{{{b}}}}", "b": "x", "c": "{{a}}{{b}}"}).values["c"] == "{{b}}x"


def test_files_may_be_named_by_variables_and_use_them(tmp_path: Path) -> None:
    put(tmp_path, {"one.txt": "1 {{word}} {{two}}", "two.txt": "2 {{word}}", "name.txt": "two"})
    variables = {"one": path("{{folder}}one.txt"), "two": path("{{name}}.txt"), "name": path("name.txt")}
    result = settled(tmp_path, {**variables, "folder": "./", "word": "x"})
    assert result.values["one"] == "1 x 2 x"
    assert result.uses["one"] == {"folder", "word", "two"}
    assert (result.unread, result.problems) == (frozenset(), ())
    assert result.order.index("two") < result.order.index("one")


def test_what_needs_a_model_or_a_function_is_left(tmp_path: Path) -> None:
    put(tmp_path, {"t.txt": "{{g}}"})
    call = {"function": {"path": "f.py", "name": "f"}}
    variables = {"g": ASKED, "a": "x", "b": "{{g}}", "f": call, "t": path("t.txt"), "u": path("{{f}}.txt")}
    result = settled(tmp_path, variables)
    assert result.values == {CONTEXT: "Sells tea.", "a": "x"}
    assert result.unread == {"u"}
    assert result.order.index("a") < result.order.index("g") < result.order.index("t")
    assert result.problems == ()


def test_a_circle_is_shown_and_what_leads_to_it_stays_unknown(tmp_path: Path) -> None:
    put(tmp_path, {"t.txt": "{{a}}"})
    result = settled(tmp_path, {"a": "{{b}}", "b": "{{t}}", "t": path("t.txt"), "c": "{{a}}", "d": "x"})
    assert [problem.message for problem in result.problems] == [
        "variables > a: this variable uses itself: a -> b -> t -> a."
    ]
    assert result.values.keys() == {CONTEXT, "d"}
    assert result.uses["a"] == {"b"}


@given(length=st.integers(1, 300))
def test_circles_of_any_length_are_found(tmp_path_factory: pytest.TempPathFactory, length: int) -> None:
    names = [f"n{number}" for number in range(length)]
    circle = {name: f"{{{{{other}}}}}" for name, other in zip(names, [*names[1:], names[0]], strict=True)}
    [problem] = settled(tmp_path_factory.getbasetemp(), circle).problems
    assert problem.message.endswith(f": {' -> '.join([*names, names[0]])}.")


def test_a_long_chain_is_worked_out(tmp_path: Path) -> None:
    chain = {f"n{number}": f"{{{{n{number + 1}}}}}" for number in range(3000)}
    assert settled(tmp_path, {**chain, "n3000": "end"}).values["n0"] == "end"


def test_texts_that_double_again_and_again_are_refused(tmp_path: Path) -> None:
    doubling = {f"n{number + 1}": f"{{{{n{number}}}}}{{{{n{number}}}}}" for number in range(60)}
    result = settled(tmp_path, {"n0": "x", **doubling})
    [problem] = result.problems
    assert "characters" in problem.message
    assert max(map(len, result.values.values())) <= LONGEST_TEXT


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("gone.txt", "variables > t > value: 'gone.txt' was not found"),
        ("bad.txt", "variables > t > value: this is not UTF-8 text"),
        ("typo.txt", "variables > t > value: there is no variable 'wrod'. Did you mean 'word'?"),
        ("spaced.txt", "variables > t > value: {{ word }} is no placeholder"),
    ],
)
def test_a_file_that_is_of_no_use_is_told_once(tmp_path: Path, text: str, says: str) -> None:
    put(tmp_path, {"typo.txt": "one\n{{wrod}}", "spaced.txt": "{{ word }}"})
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    result = settled(tmp_path, {"t": path(text), "word": "x"})
    [problem] = result.problems
    assert says in str(problem)
    assert "t" not in result.values or "{{" in result.values["t"]
