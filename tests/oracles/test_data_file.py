"""Data files that parameters name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.errors import ConfigurationError
from sensei_kumite.oracles.data_file import load_data


@pytest.mark.parametrize(
    ("name", "text", "data"),
    [
        ("a.yml", "type: object\nmaxItems: 3", {"type": "object", "maxItems": 3}),
        ("a.yaml", "- no\n- 1.5", ["no", 1.5]),
        ("a.json", '\ufeff{"a": [1, true]}', {"a": [1, True]}),
        ("a.JSON", '{"smile": "\\ud83d\\ude00"}', {"smile": "😀"}),
    ],
)
def test_json_and_yaml_are_read(tmp_path: Path, name: str, text: str, data: object) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert load_data(tmp_path / name) == data


def test_numbers_are_plain(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("maxItems: 3", encoding="utf-8")
    assert type(load_data(tmp_path / "a.yml")["maxItems"]) is int


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b'{\n "a": }', r"a\.json:2:7: this is not valid JSON"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.json", b"9" * 10_000, "too long a number"),
        ("a.json", b"\xff", "not UTF-8"),
        ("a.yml", b"a: [", r"a\.yml:\d"),
        ("a.yml", b"a: !!python/none x", "tag"),
    ],
)
def test_what_cannot_be_read_is_placed(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigurationError, match=message):
        load_data(tmp_path / name)


@pytest.mark.parametrize("name", ["folder.json", "folder.yml"])
def test_a_folder_is_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(ConfigurationError, match=name):
        load_data(tmp_path / name)
