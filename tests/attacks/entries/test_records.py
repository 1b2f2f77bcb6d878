"""Files of entries as they are written: what is read of them, where it stands, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.entries.records import Record, read_records
from sensei_kumite.errors import ConfigurationError, Problem


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
    return path


def records(path: Path) -> list[Record]:
    found = list(read_records(path))
    assert all(isinstance(record, Record) for record in found), found
    return [record for record in found if isinstance(record, Record)]


def values(path: Path) -> list[dict[str, Any]]:
    return [record.value for record in records(path)]


def lines(path: Path) -> list[int | None]:
    return [record.document.place(record.path).line for record in records(path)]


def problems(path: Path) -> list[str]:
    return [str(found).rpartition("/")[2] for found in read_records(path) if isinstance(found, Problem)]


def failure(path: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        list(read_records(path))
    return str(caught.value).rpartition("/")[2]


class TestJsonLines:
    def test_an_entry_stands_on_a_line(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.jsonl", '\ufeff{"a": 1}\r\n\n  \n{"b": [true, null, "ü"]}')
        assert values(path) == [{"a": 1}, {"b": [True, None, "ü"]}]
        assert [record.number for record in records(path)] == [1, 2]
        assert lines(path) == [1, 4]

    def test_other_ends_of_lines_are_part_of_a_text(self, tmp_path: Path) -> None:
        text = json.dumps({"a": "x\u2028y\x85z"}, ensure_ascii=False)
        assert values(written(tmp_path, "c.jsonl", text)) == [{"a": "x\u2028y\x85z"}]

    def test_a_bad_line_does_not_hide_the_others(self, tmp_path: Path) -> None:
        text = '{"a": 1}\n{"a" 1}\n[1]\n"x"\n{"a": NaN}\n{"a": 2}\n' + "[" * 100_000
        path = written(tmp_path, "c.JSONL", text)
        assert [record.number for record in read_records(path) if isinstance(record, Record)] == [1, 4]
        assert problems(path) == [
            "c.JSONL:2:6: this line is no JSON object: Expecting ':' delimiter: `{\"a\" 1}`.",
            "c.JSONL:3:1: entry 2: should be a mapping of keys to values, not a list.",
            "c.JSONL:4:1: entry 3: should be a mapping of keys to values, not 'x'.",
            "c.JSONL:5: this line is no JSON object: NaN is no number of JSON.",
            "c.JSONL:7: this line is no JSON object: maximum recursion depth exceeded while decoding a JSON "
            "array from a unicode string.",
        ]

    def test_half_a_character_becomes_a_mark(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.jsonl", '{"a": "\\ud83d\\ude00 \\uD800 x", "\\udfff": ["\\udc00"]}')
        assert values(path) == [{"a": "😀 \ufffd x", "\ufffd": ["\ufffd"]}]

    def test_what_is_no_text_ends_it_with_the_line(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.jsonl", b'{"a": 1}\n{"a": "\xff"}\n')
        assert failure(path).startswith("c.jsonl:2: this is not UTF-8 text.")


class TestYaml:
    def test_a_list_holds_entries(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.yml", "# some\n- a: 1\n- {a: 2}\n-\n  a: 3\n")
        assert values(path) == [{"a": 1}, {"a": 2}, {"a": 3}]
        assert lines(path) == [2, 3, 5]

    def test_a_mapping_is_one(self, tmp_path: Path) -> None:
        assert values(written(tmp_path, "c.yaml", "a: 1\nb: 2\n")) == [{"a": 1, "b": 2}]

    @pytest.mark.parametrize(
        "text",
        [
            "a: 1\n---\n- a: 2\n- a: 3\n---\na: 4\n",
            "%YAML 1.2\n---\na: 1\n---\n---\n# no\n--- # here\n[{a: 2}, {a: 3}]\n...\n\n%YAML 1.1\n---\na: 4",
            "--- {a: 1}\n--- [{a: 2}, {a: 3}]\n---\n---\na: 4\n...\n...\n",
            "---\r\na: 1\r\n---\r\n- a: 2\r\n- a: 3\r\n---\r\na: 4\r\n",
        ],
    )
    def test_several_documents_follow_each_other(self, tmp_path: Path, text: str) -> None:
        path = written(tmp_path, "c.yml", text)
        assert values(path) == [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]
        assert [record.number for record in records(path)] == [1, 2, 3, 4]
        by_line = text.splitlines()
        assert all(f"a: {number}" in by_line[(line or 0) - 1] for number, line in enumerate(lines(path), 1))

    def test_marks_within_a_text_are_none(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.yml", "a: |\n  ---\n  ...\n  x\n---x: 2\n")
        assert values(path) == [{"a": "---\n...\nx\n", "---x": 2}]

    def test_places_are_those_of_the_file(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.yml", "a: 1\n---\n# two\na:\n  b: 2\n")
        record = records(path)[1]
        assert str(record.document.place(("a", "b"))).endswith("c.yml:5:6")
        assert str(record.document.place(("a",), key=True)).endswith("c.yml:4:1")

    def test_mistakes_are_told_with_the_line_of_the_file(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.yml", "a: 1\n---\na: 1\na: 2\n")
        assert failure(path) == "c.yml:4:1: duplicate key 'a', which line 3 has already, in line 4: `a: 2`."

    def test_what_is_no_entry_is_told(self, tmp_path: Path) -> None:
        path = written(tmp_path, "c.yml", "- a\n- [1]\n- a: 1\n---\njust words\n")
        assert problems(path) == [
            "c.yml:1:3: entry 1: should be a mapping of keys to values, not 'a'.",
            "c.yml:2:3: entry 2: should be a mapping of keys to values, not a list.",
            "c.yml:5:1: entry 4: should be a mapping of keys to values, not 'just words'.",
        ]

    def test_a_file_that_says_nothing_holds_none(self, tmp_path: Path) -> None:
        assert values(written(tmp_path, "c.yml", "# nothing\n---\n...\n")) == []


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    assert failure(tmp_path / "c.jsonl") == "c.jsonl: this file cannot be read: No such file or directory."


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), plain, max_size=4), max_size=5))
def test_what_is_written_as_json_is_read(entries: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        text = "".join(f"{json.dumps(entry)}\n" for entry in entries)
        assert values(written(Path(folder), "c.jsonl", text)) == entries


@given(st.text(), st.sampled_from(["c.jsonl", "c.yml"]))
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    with TemporaryDirectory() as folder:
        path = written(Path(folder), name, text)
        try:
            found = list(read_records(path))
        except ConfigurationError as error:
            assert all(problem.place for problem in error.problems)
        else:
            assert all(isinstance(record, (Record, Problem)) for record in found)


@given(st.lists(st.sampled_from(["a: 1\n", "---\n", "...\n", "# x\n", "- b: 2\n", "\n", "%YAML 1.2\n"])))
def test_documents_are_parted_as_yaml_does(pieces: list[str]) -> None:
    """What one parser takes for a single document is the same here."""
    from sensei_kumite.yaml_reader import parse_yaml

    text = "".join(pieces)
    try:
        alone = parse_yaml(text, Path("c.yml")).data
    except ConfigurationError:
        return
    with TemporaryDirectory() as folder:
        path = written(Path(folder), "c.yml", text)
        expected = alone if isinstance(alone, list) else [alone] if alone is not None else []
        assert values(path) == expected
