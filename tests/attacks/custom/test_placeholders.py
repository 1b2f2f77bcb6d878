import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.custom.placeholders import (
    LONGEST_TEXT,
    TooLong,
    fill,
    fill_all,
    found,
    malformed,
    names,
    names_in,
    texts,
)

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True)
WORDS = st.text(st.characters(blacklist_characters="{}", blacklist_categories=["Cs"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{name}}", ["name"]),
        ("a {{one}} b {{two.three}} c {{one}}", ["one", "two.three", "one"]),
        ("{{_x1}}{{context.target_context}}", ["_x1", "context.target_context"]),
        ("{{{name}}}", ["name"]),
        ("{{{{name}}}} {{{{7*7}}}}", []),
        ("{{7*7}} {{ name }} {name} ${name} {%name%} {{}} {{a.}} {{1a}} {{a-b}}", []),
    ],
)
def test_only_names_between_two_braces_are_placeholders(text: str, expected: list[str]) -> None:
    assert [name for _, name in found(text)] == expected
    assert names(text) == set(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("say {{{{name}}}} and {{{{a.b}}}}", "say {{name}} and {{a.b}}"),
        ("{{{{ name }}}}{{{{7*7}}}}", "{{ name }}{{7*7}}"),
        ("{{{{{deep}}}}}", "{{{deep}}}"),
        ('{"who": {{{name}}}}', '{"who": {Ann}}'),
        ("{{name}}{{name}}", "AnnAnn"),
    ],
)
def test_four_braces_stand_for_two(text: str, expected: str) -> None:
    assert fill(text, {"name": "Ann"}) == expected


@given(st.lists(st.tuples(WORDS, NAMES)), WORDS)
def test_filling_in_loses_no_text_and_takes_values_as_they_are(
    parts: list[tuple[str, str]], ending: str
) -> None:
    values = {name: f"<{{{{{name}}}}} ${{{name}}} \\1>" for _, name in parts}
    text = "".join(f"{words}{{{{{name}}}}}" for words, name in parts) + ending
    assert fill(text, values) == "".join(f"{words}{values[name]}" for words, name in parts) + ending
    assert names(text) == values.keys()


@given(st.lists(st.tuples(WORDS, st.text("ab7*. -|$'", min_size=1))), WORDS)
def test_what_is_escaped_comes_back(parts: list[tuple[str, str]], ending: str) -> None:
    meant = "".join(f"{words}{{{{{inner}}}}}" for words, inner in parts) + ending
    written = re.sub(r"\{\{.*?\}\}", lambda braces: f"{{{{{braces[0]}}}}}", meant, flags=re.DOTALL)
    assert fill(written, {}) == meant
    assert [*malformed(written, strict=False)] == []


@given(st.text("{}a.7 *$"))
def test_whatever_is_no_placeholder_stays(text: str) -> None:
    if not names(text) and "{{{{" not in text:
        assert fill(text, {}) == text


@pytest.mark.parametrize(
    ("text", "lenient", "strict"),
    [
        ("{{name}} {{{{x}}}} {name} $name } {", [], []),
        ("{{ name }} and {{name }}", ["{{ name }}", "{{name }}"], ["{{ name }}", "{{name }}"]),
        ("{{7*7}} {{}} {{a-b}}", [], ["{{7*7}}", "{{}}", "{{a-b}}"]),
        ("${name} ${7*7} ${ a.b }", [], ["${name}", "${ a.b }"]),
        ('{"a": {"b": 1}}', [], ["}}"]),
        ("{{name} {name}}", [], ["{{", "}}"]),
        ("{{{{name}}", [], ["{{"]),
        ("{{name}}}} {{{{name}}}", [], ["}}", "{{"]),
        ("{{{{{{name}}}}}}", [], ["{{", "}}"]),
    ],
)
def test_braces_that_look_like_a_placeholder(text: str, lenient: list[str], strict: list[str]) -> None:
    assert [braces for _, braces in malformed(text, strict=False)] == lenient
    assert [braces for _, braces in malformed(text, strict=True)] == strict


def test_positions_are_those_in_the_text() -> None:
    text = "ab {{name}} {{ other }}"
    assert [*found(text)] == [(3, "name")]
    assert [*malformed(text, strict=True)] == [(12, "{{ other }}")]


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        fill("{{name}}", {"other": "x"})


def test_texts_do_not_grow_without_end() -> None:
    half = "x" * (LONGEST_TEXT // 2)
    assert len(fill("{{half}}", {"half": half})) == LONGEST_TEXT // 2
    with pytest.raises(TooLong, match="10,000,000"):
        fill("{{half}}{{half}}", {"half": half})


def test_filling_in_reaches_every_text_but_no_key() -> None:
    value = {"{{k}}": ["{{a}}", 1, None, {"deep": "{{{{b}}}}"}]}
    assert fill_all(value, {"a": "x"}) == {"{{k}}": ["x", 1, None, {"deep": "{{b}}"}]}
    assert names_in(value) == {"a"}


def test_every_text_is_found_with_its_path() -> None:
    value = {"one": "x", "two": ["y", {"three": "z"}], "four": 4}
    assert list(texts(value, ("top",))) == [
        (("top", "one"), "x"),
        (("top", "two", 0), "y"),
        (("top", "two", 1, "three"), "z"),
    ]
