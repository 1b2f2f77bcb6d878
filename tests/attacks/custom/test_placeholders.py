import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.custom.placeholders import placeholders, texts, unescape, unescape_all


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{{name}}", ["name"]),
        ("a {{one}} b {{two.three}} c", ["one", "two.three"]),
        ("{{_x1}}{{context.target_context}}", ["_x1", "context.target_context"]),
        ("{{{{name}}}}", []),
        ("{{7*7}}", []),
        ("{{ name }}", []),
        ("{name} ${name} {%name%} {{}} {{a.}} {{1a}} {{a-b}}", []),
    ],
)
def test_only_names_between_two_braces_are_placeholders(text: str, names: list[str]) -> None:
    assert placeholders(text) == names


def test_four_braces_stand_for_two() -> None:
    assert unescape("say {{{{name}}}} and {{{{a.b}}}}") == "say {{name}} and {{a.b}}"


@given(st.text("{}a.7 *$"))
def test_other_braces_are_left_alone(text: str) -> None:
    if "{{{{" not in text:
        assert unescape(text) == text


def test_unescaping_reaches_every_text_but_no_key() -> None:
    value = {"{{{{k}}}}": ["{{{{a}}}}", 1, None, {"deep": "{{{{b}}}}"}]}
    assert unescape_all(value) == {"{{{{k}}}}": ["{{a}}", 1, None, {"deep": "{{b}}"}]}


def test_every_text_is_found_with_its_path() -> None:
    value = {"one": "x", "two": ["y", {"three": "z"}], "four": 4}
    assert list(texts(value, ("top",))) == [
        (("top", "one"), "x"),
        (("top", "two", 0), "y"),
        (("top", "two", 1, "three"), "z"),
    ]
