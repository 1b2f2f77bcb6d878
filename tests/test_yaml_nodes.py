"""What may stand in a file: keys, aliases, merges, tags, nesting, and how far they may go."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.errors import ConfigurationError
from sensei_kumite.yaml_nodes import MAX_DEPTH
from sensei_kumite.yaml_reader import parse_yaml

FILE = Path("a.yml")


def load(text: str) -> Any:
    return parse_yaml(text, FILE).data


def complaint(text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(text)
    return str(caught.value)


def doubling(levels: int) -> str:
    """Each line repeats the one before nine times."""
    lines = ["a0: &a0 [hey, hey, hey, hey, hey, hey, hey, hey, hey]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, levels)]
    return "\n".join(lines)


class TestKeys:
    def test_are_text_as_typed(self) -> None:
        assert load("1: a\n007: b\ntrue: c\nnull: d\n1.10: e\n~: f\n=: g") == {
            "1": "a",
            "007": "b",
            "true": "c",
            "null": "d",
            "1.10": "e",
            "~": "f",
            "=": "g",
        }

    def test_given_twice_name_both_lines(self) -> None:
        message = complaint("attacks:\n  - name: a\nexecution:\n  attempts: 2\nattacks:\n  - name: b\n")
        assert message.startswith("a.yml:5:1: ")
        for part in ("duplicate", "'attacks'", "line 1", "line 5"):
            assert part in message

    @pytest.mark.parametrize(
        "text",
        [
            "a: {b: 1, 'b': 2}",
            "- - a: 1\n    a: 2",
            "x: &k b\ny: {*k : 1, b: 2}",
            "base: &base {a: 1, a: 2}\nother: *base",
            "a: &a {x: 1}\nb: {<<: *a, <<: *a}",
        ],
    )
    def test_given_twice_anywhere(self, text: str) -> None:
        assert "duplicate key" in complaint(text)

    def test_all_duplicates_are_reported_at_once(self) -> None:
        with pytest.raises(ConfigurationError) as caught:
            load("a: 1\na: 2\nb: 1\nb: 2\n")
        assert [problem.place.line for problem in caught.value.problems if problem.place] == [2, 4]

    @pytest.mark.parametrize("text", ["? [a]\n: b", "{[a]: b}", "x: &l [1]\ny: {*l : 2}", "? {a: b}\n: c"])
    def test_cannot_be_lists_or_mappings(self, text: str) -> None:
        assert "cannot be a key" in complaint(text)


class TestAliases:
    def test_repeat_a_value(self) -> None:
        assert load("a: &a [1, {b: 2}]\nc: *a\nd: &s text\ne: *s") == {
            "a": [1, {"b": 2}],
            "c": [1, {"b": 2}],
            "d": "text",
            "e": "text",
        }

    def test_may_be_redefined(self) -> None:
        assert load("- &a 1\n- *a\n- &a 2\n- *a") == [1, 1, 2, 2]

    def test_that_explode_are_refused_in_little_memory(self) -> None:
        text = doubling(9)
        tracemalloc.start()
        message = complaint(text)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert "alias" in message
        assert peak < 5_000_000

    def test_in_a_flat_list_are_bounded_too(self) -> None:
        many = "a: &a [" + "x, " * 1000 + "x]\nb: [" + "*a, " * 5000 + "*a]"
        assert "alias" in complaint(many)

    def test_of_long_texts_count_by_length(self) -> None:
        assert "alias" in complaint(f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 1000)}]")

    def test_of_a_sensible_number_are_fine(self) -> None:
        assert len(load(f"a: &a {'x' * 10_000}\nb: [{', '.join(['*a'] * 100)}]")["b"]) == 100

    @pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: {c: *a}}", "&a [[*a]]"])
    def test_cannot_repeat_what_they_stand_in(self, text: str) -> None:
        assert "inside the value that it repeats" in complaint(text)

    def test_need_an_anchor_before_them(self) -> None:
        message = complaint("a: *nobody\nb: &nobody 1")
        assert message.startswith("a.yml:1:4: the alias *nobody has no anchor")

    def test_cannot_build_a_depth_that_nobody_wrote(self) -> None:
        half = MAX_DEPTH // 2 + 1
        text = f"a: &a {'[' * half}{']' * half}\nb: {'[' * half}*a{']' * half}"
        assert "deeper" in complaint(text)


class TestMerges:
    def test_add_what_the_mapping_does_not_say_itself(self) -> None:
        data = load("base: &base {mode: direct, turns: 3}\nentry:\n  mode: scripted\n  <<: *base\n")
        assert data["entry"] == {"mode": "scripted", "turns": 3}

    def test_of_a_list_prefer_what_comes_first(self) -> None:
        data = load("- &a {x: 1, y: 1}\n- &b {y: 2, z: 2}\n- <<: [*a, *b]\n")
        assert data[2] == {"x": 1, "y": 1, "z": 2}

    def test_can_be_chained(self) -> None:
        assert load("- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b, z: 3}")[2] == {"x": 1, "y": 2, "z": 3}

    def test_know_where_the_merged_value_stands(self) -> None:
        document = parse_yaml("base: &base\n  mode: x\nentry:\n  <<: *base\n", FILE)
        assert str(document.place(("entry", "mode"))) == "a.yml:2:9"

    @pytest.mark.parametrize("text", ["a: {<<: text}", "a: {<<: [1]}", "a: {<<: }"])
    def test_take_mappings_only(self, text: str) -> None:
        assert "<< takes a mapping" in complaint(text)

    @pytest.mark.parametrize("key", ['"<<"', "'<<'", "!!str <<"])
    def test_are_asked_for_without_quotes(self, key: str) -> None:
        assert load(f"{{{key} : text}}") == {"<<": "text"}

    def test_are_no_values(self) -> None:
        assert load("a: <<") == {"a": "<<"}


class TestTags:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("!!str 007", "007"),
            ("!!str true", "true"),
            ("! 12", "12"),
            ('!!int "7"', 7),
            ("!!float 2", 2),
            ("!!bool 'true'", True),
            ("!!null ''", None),
            ("!!seq [a]", ["a"]),
            ("!!map {a: b}", {"a": "b"}),
        ],
    )
    def test_of_plain_data_are_understood(self, text: str, value: Any) -> None:
        assert load(text) == value

    @pytest.mark.parametrize(
        "text",
        [
            "!!python/object/apply:os.system [ls]",
            "!!python/name:os.system",
            "!mine {a: b}",
            "!include other.yml",
            "!!set {a}",
            "!!binary aGk=",
            "!!timestamp 2026-01-01",
            "!!int seven",
            "!!int true",
            "!!bool yes",
            "!!float text",
            "!!map text",
            "!!seq {a: b}",
            "!!map [a]",
        ],
    )
    def test_of_anything_else_are_refused(self, text: str) -> None:
        assert "does not fit here: only plain data is read" in complaint(f"- {text}")


class TestNesting:
    @pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
    def test_without_end_is_an_error_and_no_crash(self, opening: str) -> None:
        assert "a.yml:1:" in complaint(opening * 100_000)

    def test_to_a_sensible_depth_is_fine(self) -> None:
        depth = MAX_DEPTH - 1
        value = load("[" * depth + "]" * depth)
        for _ in range(depth - 1):
            (value,) = value
        assert value == []


class TestDocuments:
    @pytest.mark.parametrize("text", ["", "   \n\n", "# only a comment\n", "---\n", "---\n...\n", "~"])
    def test_may_be_empty(self, text: str) -> None:
        assert load(text) is None

    @pytest.mark.parametrize(("text", "value"), [("[]", []), ("word", "word"), ("- a", ["a"]), ("{}", {})])
    def test_may_hold_any_plain_value(self, text: str, value: Any) -> None:
        assert load(text) == value

    def test_stand_alone_in_a_file(self) -> None:
        assert complaint("a: 1\n---\nb: 2\n").startswith("a.yml:2:1: a second YAML document begins here")
