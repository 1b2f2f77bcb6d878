"""What is wrong, where, and what would be right: every kind of mistake as the line a person reads."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field, ValidationError

from sensei_kumite.config.campaign import AttackEntry, Campaign, OracleEntry
from sensei_kumite.config.fields import Block, Flag, Integer, Number, Text, WrongKey
from sensei_kumite.config.problems import location, problems_from, unknown_keys, validated, validated_parts
from sensei_kumite.yaml_reader import parse_yaml

FILE = Path("a.yml")


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


def _even(number: int) -> int:
    if number % 2:
        raise ValueError("should be even")
    return number


def _sound_dimensions(block: Any) -> Any:
    if block.width > block.height:
        raise WrongKey("width", "width should not be more than height")
    return block


class Part(Block):
    kind: Text
    mode: Literal["fast", "slow"] = "fast"
    colour: Colour = Colour.RED
    words: Text | list[Text] = "x"
    share: Number = Field(0, ge=0, le=1)
    above: Number = Field(1, gt=0, lt=9)
    even: Annotated[Integer, AfterValidator(_even)] = 0
    flag: Flag = False
    short: Text = Field("abc", min_length=3, max_length=5, pattern="^a")
    few: list[Text] = Field(["x"], min_length=1, max_length=2)
    table: dict[str, int] = Field(default_factory=dict)
    native: int | None = None
    inner: list[Part] = Field(default_factory=list)


class Frame(Block):
    width: Integer = 1
    height: Integer = 1


SoundFrame = Annotated[Frame, AfterValidator(_sound_dimensions)]


class Whole(Block):
    parts: list[Part] = Field(default_factory=list)
    frame: SoundFrame = Frame()
    total: Integer = 0


def problems(text: str, model: type[Block] = Whole) -> list[str]:
    return [str(problem) for problem in validated(model, parse_yaml(text, FILE), within=model)[1]]


class TestKindsOfMistakes:
    @pytest.mark.parametrize(
        ("line", "column", "words"),
        [
            ("mode: fats", 9, "mode: 'fats' is not valid. Did you mean 'fast'? Valid: 'fast' or 'slow'."),
            ("mode: 7", 9, "mode: 7 is not valid. Valid: 'fast' or 'slow'."),
            (
                "colour: grene",
                11,
                "colour: 'grene' is not valid. Did you mean 'green'? Valid: 'red' or 'green'.",
            ),
            (
                "words: {a: b}",
                3,
                "words: should be text or a list (lines that begin with '- '), not a mapping.",
            ),
            ("words: [a, [b]]", 14, "words[2]: should be text, not a list."),
            (
                "words: true",
                10,
                'words: true without quotes is a boolean; quote it to mean the text: "true".',
            ),
            ("share: -0.5", 10, "share: should be at least 0, not -0.5."),
            ("share: 1.50", 10, "share: should be at most 1, not 1.50."),
            ("share: .nan", 10, "share: should be a finite number, not .nan."),
            ("above: 0", 10, "above: should be more than 0, not 0."),
            ("above: 9", 10, "above: should be less than 9, not 9."),
            ("even: 3", 9, "even: should be even."),
            ("even: 1.5", 9, "even: should be a whole number, not 1.5."),
            ("even: [1]", 3, "even: should be a number, not a list."),
            ("flag: maybe", 9, "flag: should be true or false, not 'maybe'."),
            ("short: ab", 10, "short: should be text of at least 3 characters, not 'ab'."),
            ("short: abcdef", 10, "short: should be text of at most 5 characters, not 'abcdef'."),
            ("short: bcd", 10, "short: should be text that matches ^a, not 'bcd'."),
            ("few: []", 3, "few: should be a list of at least 1, not a list."),
            ("few: text", 8, "few: should be a list (lines that begin with '- '), not 'text'."),
            ("few: [a, ]", 3, None),
            ("few: [a, ~]", 12, "few[2]: should be text, not an empty value."),
            ("table: [1]", 3, "table: should be a mapping (lines of 'key: value'), not a list."),
            ("table: {a: x}", 14, "table > a: should be a whole number, not 'x'."),
            ("native: x", 11, "native: should be a whole number, not 'x'."),
            ("sahre: 1", 3, "unknown key 'sahre'. Did you mean 'share'?"),
            ("sahre:", 3, "unknown key 'sahre'. Did you mean 'share'?"),
        ],
    )
    def test_read_as_one_line(self, line: str, column: int, words: str | None) -> None:
        found = problems(f"parts:\n- kind: k\n  {line}\n")
        where = "parts[1]: " if line.startswith("sahre") else "parts[1] > "
        assert found == ([f"a.yml:3:{column}: {where}{words}"] if words else [])

    def test_a_missing_key_stands_where_it_should_be(self) -> None:
        assert problems("parts:\n- kind: k\n- mode: slow\n") == [
            "a.yml:3:3: parts[2]: the key 'kind' is missing."
        ]

    @pytest.mark.parametrize("empty", ["kind:", "kind: ~", "kind: null"])
    def test_a_needed_key_without_value_is_missing(self, empty: str) -> None:
        assert problems(f"parts:\n- {empty}\n") == ["a.yml:2:3: parts[1]: the key 'kind' is missing."]

    def test_a_rule_points_at_its_key(self) -> None:
        text = "total: 1\nframe:\n  height: 1\n  width: 2\n"
        assert problems(text) == ["a.yml:4:3: frame: width should not be more than height."]

    def test_far_from_every_key_all_are_listed(self) -> None:
        assert problems("zzz: 1") == ["a.yml:1:1: unknown key 'zzz'. Valid: frame, parts, total."]

    def test_a_whole_value_of_the_wrong_kind(self) -> None:
        assert problems("- a") == ["a.yml:1:1: should be a mapping (lines of 'key: value'), not a list."]
        assert problems("parts: [3]") == [
            "a.yml:1:9: parts[1]: should be a mapping (lines of 'key: value'), not 3."
        ]

    def test_all_are_reported_and_none_in_the_words_of_the_library(self) -> None:
        found = problems("parts:\n- {}\n- {kind: k, mode: x, share: 7, zzz: 1}\ntotal: many\nframe: [1]\n")
        assert len(found) == 6
        for line in found:
            assert not any(jargon in line for jargon in ("Input", "pydantic", "http", "type=", "dictionary"))

    def test_hostile_text_is_shown_escaped_and_short(self) -> None:
        (line,) = problems('parts:\n- kind: k\n  mode: "\\x1b[31m' + "x" * 5000 + '"')
        assert "\\x1b[31m" in line
        assert len(line) < 300


class TestKeysOfOtherLevels:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("attempts: 3", "unknown key 'attempts'. It belongs in execution or in attacks[] > dynamic."),
            (
                "attacks: [{name: a, mode: direct}]",
                "unknown key 'mode'. It belongs in attacks[] > execution.",
            ),
            (
                "attacks: [{name: a, execution: {concurrency: 3}}]",
                "attacks[1] (a) > execution: unknown key 'concurrency'. It belongs in execution.",
            ),
            ("execution: {attacks: []}", "execution: unknown key 'attacks'. It belongs at the top level."),
            (
                "provider: offline",
                "It belongs in dummy_chatbot or in generation or in simulation or in judge.",
            ),
            ("attack: []", "unknown key 'attack'. Did you mean 'attacks'?"),
        ],
    )
    def test_are_sent_there(self, text: str, words: str) -> None:
        (line,) = problems(text, Campaign)
        assert words in line

    def test_are_found_for_a_part_of_the_file_when_the_whole_is_known(self) -> None:
        document = parse_yaml("attacks:\n- name: a\n  seed: 3\n", FILE)
        _, without = validated(AttackEntry, document, ("attacks", 0))
        _, within = validated(AttackEntry, document, ("attacks", 0), within=Campaign)
        assert "Valid: " in str(without[0])
        assert str(within[0]) == "a.yml:3:3: attacks[1] (a): unknown key 'seed'. It belongs in execution."

    def test_two_names_of_one_key(self) -> None:
        (line,) = problems("simulation:\n  reference_profile: a\n  default_profile: b\n", Campaign)
        assert line.startswith(
            "a.yml:3:3: simulation: 'default_profile' and 'reference_profile' mean the same"
        )


class TestValidated:
    def test_gives_the_value_at_a_path(self) -> None:
        document = parse_yaml("parts: [{kind: a}, {kind: b}]", FILE)
        part, found = validated(Part, document, ("parts", 1))
        assert part is not None
        assert part.kind == "b"
        assert found == []

    def test_of_nothing_is_a_problem(self) -> None:
        part, found = validated(Part, parse_yaml("parts: []", FILE), ("parts", 3))
        assert part is None
        assert str(found[0]).startswith("a.yml:1:8: parts[4]: should be a mapping")


class TestValidatedParts:
    def test_keeps_what_is_sound(self) -> None:
        document = parse_yaml("total: 3\nframe: {width: 5}\nparts: [{}]\nzzz: 1\n", FILE)
        whole, found = validated_parts(Whole, document)
        assert whole.total == 3
        assert whole.frame == Frame()
        assert whole.parts == []
        assert len(found) == 3

    def test_leaves_out_what_others_read(self) -> None:
        whole, found = validated_parts(Whole, parse_yaml("total: 3\nparts: what", FILE), skip=("parts",))
        assert whole.total == 3
        assert found == []

    def test_of_an_empty_file_are_the_defaults(self) -> None:
        assert validated_parts(Whole, parse_yaml("", FILE)) == (Whole(), [])


class TestProblemsFrom:
    def test_can_be_told_what_to_call_the_value(self) -> None:
        document = parse_yaml("cases:\n- id: x\n  oracle:\n    type: t\n    params:\n      share: 2\n", FILE)
        path = ("cases", 0, "oracle", "params")
        with pytest.raises(ValidationError) as caught:
            Part.model_validate(document.data["cases"][0]["oracle"]["params"])
        found = problems_from(caught.value, document, path, "the oracle")
        assert [str(problem) for problem in found] == [
            "a.yml:5:5: the oracle: the key 'kind' is missing.",
            "a.yml:6:14: the oracle > share: should be at most 1, not 2.",
        ]
        assert problems_from(caught.value, document, path)[1].message.startswith(
            "cases[1] (x) > oracle > params > share: "
        )

    def test_shows_a_value_that_was_replaced_before_validation(self) -> None:
        document = parse_yaml('share: "{{parameters.share}}"\nkind: k\n', FILE)
        with pytest.raises(ValidationError) as caught:
            Part.model_validate({"kind": "k", "share": 3})
        (problem,) = problems_from(caught.value, document)
        assert str(problem) == "a.yml:1:8: share: should be at most 1, not 3."

    def test_knows_validators_of_other_makes(self) -> None:
        class Odd(Block):
            address: Annotated[str, Field(min_length=3)] = "abc"
            when: Annotated[bytes, Field(max_length=1)] = b""

        with pytest.raises(ValidationError) as caught:
            Odd.model_validate({"when": "xx"})
        (problem,) = problems_from(caught.value, parse_yaml("when: xx", FILE))
        assert str(problem).startswith("a.yml:1:7: when: ")


class TestLocation:
    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ((), ""),
            (("attacks",), "attacks"),
            (("attacks", 1), "attacks[2] (ucar)"),
            (("attacks", 1, "execution", "mode"), "attacks[2] (ucar) > execution > mode"),
            (("attacks", 0, "turns", 2), "attacks[1] (007) > turns[3]"),
            (("attacks", 2), "attacks[3]"),
            (("attacks", 9, "name"), "attacks[10] > name"),
        ],
    )
    def test_counts_from_one_and_names_items(self, path: tuple[str | int, ...], text: str) -> None:
        document = parse_yaml("attacks: [{id: 007, turns: [a]}, {name: ucar}, {name: [x]}]", FILE)
        assert location(document, path) == text


def test_unknown_keys_of_a_shared_file_are_warnings() -> None:
    document = parse_yaml("oracle: {type: x, parms: 1, other: 2}", FILE)
    found = unknown_keys(OracleEntry, document, ("oracle",))
    assert [str(problem) for problem in found] == [
        "a.yml:1:19: warning: oracle: unknown key 'parms' is ignored. Did you mean 'params'?",
        "a.yml:1:29: warning: oracle: unknown key 'other' is ignored.",
    ]
    assert unknown_keys(OracleEntry, parse_yaml("oracle: text", FILE), ("oracle",)) == []
