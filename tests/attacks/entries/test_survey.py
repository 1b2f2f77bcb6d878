"""Files of entries looked through: what a campaign is made of, and every mistake with its line."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.entries.entry import EntryReader
from sensei_kumite.attacks.entries.survey import read_entries, survey


def file(folder: Path, *entries: Any, name: str = "c.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries), encoding="utf-8")
    return path


def reader(*, is_judged: bool = True, plays_turns: bool = False) -> EntryReader:
    return EntryReader(lambda *_: [], is_judged, plays_turns)


def problems(path: Path, **how: bool) -> list[str]:
    return [str(problem).rpartition("/")[2] for problem in survey(path, reader(**how)).problems]


class TestEntries:
    def test_the_text_is_content_or_text(self, tmp_path: Path) -> None:
        path = file(tmp_path, {"content": "a", "text": "b"}, {"text": "c"}, {"content": None, "text": "d"})
        assert [entry.text for entry in read_entries(path, reader())] == ["a", "c", "d"]

    def test_ids_are_texts_or_numbers_of_the_entry(self, tmp_path: Path) -> None:
        path = file(tmp_path, {"id": 7, "text": "a"}, {"text": "b"}, {"id": "x/y", "text": "c"})
        assert [entry.case_id for entry in read_entries(path, reader())] == ["7", "dynamic_2", "x/y"]

    def test_all_keys_are_kept(self, tmp_path: Path) -> None:
        given = {
            "id": "a", "long_id": "a-b", "content": "x", "content_type": "text", "payload": "y", "lang": None,
            "system_message": "s", "position": 3, "injected": "true", "steering_keywords": ["a", {"b": 1.5}],
            "exclude_from_transformations_regex": None,
        }  # fmt: skip
        [entry] = read_entries(file(tmp_path, given), reader())
        assert entry.data == given

    def test_numbers_of_yaml_are_the_text_that_was_typed_where_text_belongs(self, tmp_path: Path) -> None:
        path = tmp_path / "c.yml"
        path.write_text("- {id: 007, content: 1.10, payload: 0x1F, position: 010, judge_args: 1.50}\n")
        [entry] = read_entries(path, reader())
        assert (entry.case_id, entry.text) == ("007", "1.10")
        assert json.loads(json.dumps(entry.data)) == {
            "id": "007", "content": "1.10", "payload": "0x1F", "position": 10, "judge_args": 1.5
        }  # fmt: skip

    @pytest.mark.parametrize(
        "turns",
        [
            ["a", "b"],
            [{"role": "system", "content": "s"}, {"role": "user", "content": "a"}, {"content": "b"}],
            [{"role": "user", "content": "b"}, {"role": "assistant", "content": "ok"}],
        ],
    )
    def test_the_prompt_of_a_conversation_is_the_last_turn_of_the_user(
        self, tmp_path: Path, turns: list[Any]
    ) -> None:
        [entry] = read_entries(file(tmp_path, {"content": turns}), reader(plays_turns=True))
        assert entry.text == "b"
        assert entry.data["content"] == turns


class TestMistakes:
    @pytest.mark.parametrize(
        ("entry", "told"),
        [
            ({}, "entry 1: the key 'content' is missing."),
            ({"id": "q", "content": " "}, "entry 1 (q) > content: must not be empty."),
            ({"content": True}, "entry 1 > content: true without quotes is a boolean"),
            ({"content": {"a": 1}}, "entry 1 > content: should be a text or a list of turns"),
            ({"content": ["a", ""]}, "entry 1 > content: should be a text or a list of turns"),
            ({"text": []}, "entry 1 > text: should be a text or a list of turns"),
            ({"content": [{"role": "system", "content": "a"}]}, "at least one of the user"),
            ({"content": "a", "content_type": "audio"}, "content_type: 'audio' cannot be sent"),
            ({"content": "a", "payload": ["b"]}, "payload: should be text, not a list."),
            ({"id": "", "content": "a"}, "id: must not be empty."),
            ({"id": ["a"], "content": "a"}, "entry 1 > id: should be text, not a list."),
            (
                {"content": "a", "exclude_from_transformations_regex": {"a": 1}},
                "exclude_from_transformations_regex",
            ),
        ],
    )
    def test_a_key_is_told_with_its_entry(self, tmp_path: Path, entry: dict[str, Any], told: str) -> None:
        [found] = problems(file(tmp_path, entry))
        assert found.startswith("c.jsonl:1:1: entry 1")
        assert told in found

    def test_a_conversation_needs_a_search(self, tmp_path: Path) -> None:
        path = file(tmp_path, {"content": ["a", "b"]})
        assert problems(path) == [
            "c.jsonl:1:1: entry 1 > content: is a conversation (2 turns), which needs a search that plays "
            "it. Add dynamic: {attack: multi_turn} to the attack in the campaign."
        ]
        assert problems(path, plays_turns=True) == []

    def test_somebody_has_to_judge(self, tmp_path: Path) -> None:
        path = file(tmp_path, {"content": "a"}, {"content": "a", "judge_args": "b"})
        assert problems(path, is_judged=False) == [
            "c.jsonl:1:1: entry 1: nothing says who judges the answer. "
            "Add judge_name and judge_args, or give the attack in the campaign an oracle."
        ]

    def test_ids_are_unique(self, tmp_path: Path) -> None:
        path = file(tmp_path, {"text": "a", "id": "dynamic_2"}, {"text": "b"}, {"text": "c", "id": 3})
        assert problems(path) == [
            "c.jsonl:2:1: entry 2 > id: 'dynamic_2' is the id of the entry in line 1, too."
        ]

    def test_places_are_those_of_the_key(self, tmp_path: Path) -> None:
        path = tmp_path / "c.yml"
        path.write_text("- content: a\n- content: b\n  content_type:\n    image\n")
        assert problems(path) == [
            "c.yml:4:5: entry 2 > content_type: 'image' cannot be sent, for targets are sent text."
        ]

    def test_only_the_first_are_told_one_by_one(self, tmp_path: Path) -> None:
        path = file(tmp_path, *[{"content": ""}] * 57)
        found = problems(path)
        assert len(found) == 21
        assert found[19].startswith("c.jsonl:20:1: entry 20 > content: ")
        assert found[20] == "c.jsonl:21:1: and 37 more problems."
        assert problems(file(tmp_path, *[{"content": ""}] * 21))[20].endswith("and 1 more problem.")

    def test_what_was_found_before_the_file_ended_is_told(self, tmp_path: Path) -> None:
        path = tmp_path / "c.jsonl"
        path.write_bytes(b'{"content": ""}\n\xff\n')
        assert [found.partition(": ")[0] for found in problems(path)] == ["c.jsonl:1:1", "c.jsonl:2"]

    def test_an_empty_file_is_a_mistake(self, tmp_path: Path) -> None:
        assert problems(file(tmp_path)) == ["c.jsonl: this file holds no entry."]


def test_a_large_file_is_not_held(tmp_path: Path) -> None:
    path = file(tmp_path, *({"id": number, "content": "x" * 5000} for number in range(2_000)))
    tracemalloc.start()
    assert survey(path, reader()).count == 2_000
    assert sum(1 for _ in read_entries(path, reader())) == 2_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_500_000
