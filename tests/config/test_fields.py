"""The field types: what they take, how they spell it, and what they say to what they do not take."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import AliasChoices, BaseModel, Field, TypeAdapter, ValidationError

from sensei_kumite.config.fields import (
    Block,
    Flag,
    Integer,
    NotNegative,
    Number,
    Plain,
    Positive,
    Text,
    Unexpected,
    shown,
)
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt


def read(kind: Any, value: Any) -> Any:
    return TypeAdapter(kind).validate_python(value)


def complaint(kind: Any, value: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        read(kind, value)
    return str(caught.value.errors()[0]["msg"])


@pytest.mark.parametrize(
    ("value", "text"),
    [("no", "no"), ("", ""), (TypedInt("007"), "007"), (TypedFloat("1.10"), "1.10"), (5, "5"), (1.5, "1.5")],
)
def test_text_is_what_was_typed(value: Any, text: str) -> None:
    assert read(Text, value) == text


@pytest.mark.parametrize("value", [True, False])
def test_text_is_no_boolean_unless_quoted(value: bool) -> None:
    word = str(value).lower()
    assert f'{word} without quotes is a boolean; quote it to mean the text: "{word}"' in complaint(
        Text, value
    )
    assert read(Text, word) == word


@pytest.mark.parametrize("value", [[], {}, None])
def test_text_is_nothing_else(value: Any) -> None:
    complaint(Text, value)


@pytest.mark.parametrize(
    ("value", "flag"),
    [
        (True, True),
        (False, False),
        ("yes", True),
        ("No", False),
        ("ON", True),
        ("off", False),
        ("true", True),
    ],
)
def test_flags_take_the_words_of_yaml_1_1(value: Any, flag: bool) -> None:
    assert read(Flag, value) is flag


@pytest.mark.parametrize("value", ["maybe", 1, 0, None, [], ""])
def test_flags_take_nothing_else(value: Any) -> None:
    assert "should be true or false, not" in complaint(Flag, value)


def test_numbers_come_out_ordinary() -> None:
    assert type(read(Integer, TypedInt("007"))) is int
    assert type(read(Number, TypedFloat("1.50"))) is float
    assert read(Integer, TypedFloat("2.0")) == 2
    assert read(Number, TypedInt("3")) == 3.0


@pytest.mark.parametrize("kind", [Integer, Number, Positive, NotNegative])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("3", "should be a number, not the text '3'; write it without quotes"),
        ("three", "should be a number, not 'three'"),
        (True, "should be a number, not true"),
        ([1], "should be a number, not a list"),
    ],
)
def test_what_is_no_number_is_refused(kind: Any, value: Any, words: str) -> None:
    message = complaint(kind, value)
    assert message.endswith(words)


@pytest.mark.parametrize("kind", [Number, Positive, NotNegative])
@pytest.mark.parametrize("word", [".inf", "-.inf", ".nan"])
def test_numbers_are_finite(kind: Any, word: str) -> None:
    complaint(kind, TypedFloat(word))


def test_numbers_have_their_bounds() -> None:
    assert read(NotNegative, 0) == 0
    complaint(NotNegative, -0.1)
    complaint(Positive, 0)
    complaint(Integer, 1.5)


def test_plain_data_loses_its_spelling() -> None:
    value = read(Plain, {"a": [TypedInt("007")]})
    assert value == {"a": [7]}
    assert type(value["a"][0]) is int


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "an empty value"),
        (True, "true"),
        (TypedInt("007"), "007"),
        (1.5, "1.5"),
        ("a\nb", "'a b'"),
        ("x" * 100, f"'{'x' * 59}…'"),
        ([1, 2], "a list"),
        ({"a": 1}, "a mapping"),
    ],
)
def test_values_are_shown_short_and_as_typed(value: Any, text: str) -> None:
    assert shown(value) == text


class Inner(Block):
    colour: Text = "red"


class Outer(Block):
    size: Integer = 1
    profile: Text | None = Field(None, validation_alias=AliasChoices("profile", "old_profile"))
    inner: Inner = Inner()
    many: list[Inner] = Field(default_factory=list)
    perhaps: Annotated[Inner | None, "note"] = None


class TestBlock:
    def test_takes_a_key_without_value_as_not_given(self) -> None:
        block = Outer.model_validate({"size": None, "inner": None, "profile": None})
        assert block == Outer()
        assert block.model_fields_set == set()

    def test_knows_aliases_as_keys(self) -> None:
        assert Outer.known_keys() == {"size", "profile", "old_profile", "inner", "many", "perhaps"}
        assert ["profile", "old_profile"] in Outer.key_names()
        assert Outer.model_validate({"old_profile": "x"}).profile == "x"

    @pytest.mark.parametrize(("value", "key"), [(3, "colr"), (None, "colr")])
    def test_refuses_unknown_keys_even_without_value(self, value: Any, key: str) -> None:
        with pytest.raises(ValidationError) as caught:
            Outer.model_validate({"inner": {key: value}})
        (error,) = caught.value.errors()
        assert error["loc"] == ("inner", key)
        assert error["input"] == Unexpected(Inner)

    def test_refuses_two_names_of_one_key(self) -> None:
        with pytest.raises(ValidationError) as caught:
            Outer.model_validate({"profile": "a", "old_profile": "b"})
        assert caught.value.errors()[0]["input"] == Unexpected(Outer, "profile")

    def test_takes_an_alias_beside_an_empty_name(self) -> None:
        assert Outer.model_validate({"profile": None, "old_profile": "b"}).profile == "b"

    def test_knows_the_blocks_inside_it(self) -> None:
        assert list(Outer.inner_blocks()) == [("inner", Inner), ("many[]", Inner), ("perhaps", Inner)]

    def test_cannot_be_changed(self) -> None:
        with pytest.raises(ValidationError):
            Outer().size = 2  # type: ignore[misc]

    def test_is_made_from_mappings_only(self) -> None:
        with pytest.raises(ValidationError):
            Outer.model_validate([1])
        assert issubclass(Outer, BaseModel)
