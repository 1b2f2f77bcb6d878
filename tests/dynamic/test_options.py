"""`key=value,…` as texts, and with the types that YAML gives them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from sensei_kumite.config.fields import Block
from sensei_kumite.dynamic.options import (
    default_options,
    described_options,
    option_problems,
    parse_options,
    typed_options,
)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("a=1,b=two", {"a": "1", "b": "two"}),
        (" a = 1 , b= 2", {"a": "1", "b": "2"}),
        ("model=openai/gpt-4o,max-turns=3", {"model": "openai/gpt-4o", "max-turns": "3"}),
        ("a=b=c", {"a": "b=c"}),
        ("languages=fr,de,n=2", {"languages": "fr,de", "n": "2"}),
        ("a=", {"a": ""}),
        ("mode", {}),
        (",,a=1", {"a": "1"}),
        ("=1", {}),
        ("", {}),
        (None, {}),
    ],
)
def test_options_are_read(text: str | None, options: dict[str, str]) -> None:
    assert parse_options(text) == options


def test_the_latest_of_two_values_counts() -> None:
    assert parse_options("a=1,a=2") == {"a": "2"}


def test_values_have_the_types_of_yaml() -> None:
    assert typed_options("n=3,p=0.5,on=true,word=aggressive,none=") == {
        "n": 3,
        "p": 0.5,
        "on": True,
        "word": "aggressive",
        "none": None,
    }


@given(
    st.dictionaries(st.from_regex(r"[a-z-]{1,9}", fullmatch=True), st.from_regex(r"[\w./]*", fullmatch=True))
)
def test_what_is_written_is_what_is_read(options: dict[str, str]) -> None:
    assert parse_options(",".join(f"{key}={value}" for key, value in options.items())) == options


class Settings(Block):
    on: bool = Field(True, description="Whether it is.")
    level: float = 0.5
    word: str = ""


def test_defaults_are_shown_as_they_are_written() -> None:
    assert default_options(Settings) == {"on": "true", "level": "0.5", "word": ""}
    assert [*described_options(Settings)] == ["on=true  Whether it is.", "level=0.5", "word="]
    written = {key: value for key, value in default_options(Settings).items() if value}
    assert Settings.model_validate(typed_options(",".join(map("=".join, written.items())))) == Settings()


def test_what_a_search_refuses_is_a_problem() -> None:
    def read(text: str) -> Settings:
        if "level=0" in text:
            raise ValueError("a level of 0 does nothing")
        return Settings.model_validate(typed_options(text))

    assert option_problems("on=false", read) == []
    assert option_problems("level=0", read) == ["a level of 0 does nothing"]
    assert len(option_problems("on=perhaps,levle=1", read)) == 2
