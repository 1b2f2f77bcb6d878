from functools import partial
from pathlib import Path

import pytest

from sensei_kumite.attacks.custom.text_files import TextFile, TextFiles
from sensei_kumite.errors import ConfigurationError, Place
from tests.attacks.build import found


@pytest.fixture
def files(tmp_path: Path) -> TextFiles:
    return TextFiles(partial(found, tmp_path))


def test_a_text_is_read_as_utf_8_without_its_mark(tmp_path: Path, files: TextFiles) -> None:
    (tmp_path / "t.txt").write_bytes(b"\xef\xbb\xbfgr\xc3\xbc\xc3\x9fe\r\n{{x}}\n")
    assert files.read("t.txt") == TextFile(tmp_path / "t.txt", "grüße\n{{x}}\n")


def test_a_text_is_read_once(tmp_path: Path, files: TextFiles) -> None:
    (tmp_path / "t.txt").write_text("before")
    first = files.read("t.txt")
    (tmp_path / "t.txt").write_text("after")
    assert files.read("t.txt") is first


def test_positions_are_lines_and_columns() -> None:
    file = TextFile(Path("t.txt"), "ab\ncd\n")
    assert [file.place(position) for position in (0, 1, 3, 4)] == [
        Place(Path("t.txt"), 1, 1),
        Place(Path("t.txt"), 1, 2),
        Place(Path("t.txt"), 2, 1),
        Place(Path("t.txt"), 2, 2),
    ]


def test_what_cannot_be_read_is_told(tmp_path: Path, files: TextFiles) -> None:
    (tmp_path / "latin.txt").write_bytes(b"\xe9t\xe9")
    (tmp_path / "folder.txt").mkdir()
    with (tmp_path / "huge.txt").open("wb") as stream:
        stream.truncate(50_000_000)
    for name, says in {
        "gone.txt": "'gone.txt' was not found",
        "latin.txt": "not UTF-8",
        "folder.txt": "a folder",
        "huge.txt": "too large",
    }.items():
        with pytest.raises(ConfigurationError, match=says):
            files.read(name)
