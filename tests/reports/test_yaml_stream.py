"""Whatever text goes into a report, every YAML reader gets the same text out."""

from __future__ import annotations

import errno
import io
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.reports.yaml_stream import write_documents, write_yaml
from sensei_kumite.yaml_reader import parse_yaml

ALL_TEXT = st.text(st.characters(exclude_categories=()))
YAML_SYNTAX = st.text(" \n\t#:-'\"\\|>%&*!?{}[],.=~<a1é\r\u2028😀", max_size=40)
LONG_LINES = st.lists(st.text("ab-#:?'\" ", min_size=1, max_size=9), max_size=60).map(" ".join)
NUMBERS = st.integers() | st.floats(allow_nan=False)
PLAIN_DATA = st.recursive(
    st.none() | st.booleans() | NUMBERS | ALL_TEXT | YAML_SYNTAX,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(YAML_SYNTAX, inner, max_size=4),
)


def written(*documents: dict[str, Any]) -> str:
    stream = io.StringIO()
    write_documents(stream, documents)
    return stream.getvalue()


def read(text: str) -> list[Any]:
    """The documents in `text`; both of PyYAML's parsers must agree on them."""
    documents = list(yaml.safe_load_all(text))
    assert list(yaml.load_all(text, yaml.CSafeLoader)) == documents
    return documents


def expected(text: str) -> str:
    """Pairs of surrogates are the character they stand for; lone ones cannot be kept."""
    joined = re.sub(
        "[\ud800-\udbff][\udc00-\udfff]",
        lambda pair: chr(0x10000 + (ord(pair[0][0]) - 0xD800) * 0x400 + ord(pair[0][1]) - 0xDC00),
        text,
    )
    return re.sub("[\ud800-\udfff]", "\ufffd", joined)


def assert_survives(text: str) -> None:
    """`text` is read back in each of the places where texts stand in reports."""
    places = {"value": text, "list": [text, text], "nested": [{"User": text, "more": {"deep": [text]}}]}
    last = {"again": text}
    want = expected(text)
    assert read(written(places, last)) == [
        {"value": want, "list": [want, want], "nested": [{"User": want, "more": {"deep": [want]}}]},
        {"again": want},
    ]


@given(ALL_TEXT | YAML_SYNTAX | LONG_LINES)
def test_any_text_is_read_back_unchanged(text: str) -> None:
    assert_survives(text)


@pytest.mark.parametrize(
    "code_point",
    [*set(range(0x20)) - {0x0A}, *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF],
)
def test_unprintable_characters_survive_as_escapes(code_point: int) -> None:
    mark = chr(code_point)
    for text in (mark, f"{mark}a", f"a{mark}", f"a{mark}b", f"a\n{mark}\nb", f"a{mark}\n{mark}b"):
        assert_survives(text)
        assert mark not in written({"text": text})


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "\n\n",
        "---",
        "...",
        "--- !!python/object:os.system\n...\n---\n",
        "%YAML 1.2\n---\na: b",
        "trailing space \nand tab\t\n  ",
        "  indented first\nthen not",
        "\tindented by a tab\n\tall along",
        "kept line ends\n\n\n",
        "carriage\r\nreturn\rand alone",
        "😀 astral, 𝔸 mathematical, 🏴󠁧󠁢󠁳󠁣󠁴󠁿 tagged\nin two lines",
        "key: value # comment",
        "- item\n- item",
        "{{ template }}",
        "*alias &anchor !tag",
        "<script>alert('x')</script>",
        "C:\\temp\\new",
        "a" * 3000,
        "word " * 3000,
        " - word #" * 300,
        "'" * 200 + " " + '"' * 200,
    ],
)
def test_text_that_looks_like_yaml_is_only_text(text: str) -> None:
    assert_survives(text)


def test_megabytes_survive() -> None:
    line, lines = "one very long line " * 60_000, "many\nlines: here\n" * 60_000
    text = written({"line": line, "lines": [lines]})
    assert yaml.load(text, yaml.CSafeLoader) == {"line": line, "lines": [lines]}


@pytest.mark.parametrize(
    "word",
    [
        *("yes", "No", "ON", "off", "y", "N", "true", "FALSE", "null", "Null", "~"),
        *("0", "007", "1_000", "0x1F", "0o17", "0b11", "+1", "-0", "+", "-"),
        *("1.5", "1.10", "1e5", "1e-05", ".5", ".inf", "-.INF", ".nan"),
        *("12:30", "12:30:45.5", "2026-01-31", "2026-01-31T10:00:00Z", "=", "<<"),
    ],
)
def test_a_text_that_reads_as_another_type_is_quoted(word: str) -> None:
    text = written({"value": word, word: "key"})
    assert read(text) == [{"value": word, word: "key"}]
    assert text.startswith(f"value: '{word}'\n'{word}': ")
    assert parse_yaml(text, Path("by YAML 1.2")).data == {"value": word, word: "key"}


def test_ordinary_text_is_plain_and_several_lines_are_a_block() -> None:
    text = written(
        {"status": "resilient", "response": "Of course!\n\n  1. flour: 500 g\n  2. water # warm\n"}
    )
    assert text == (
        "status: resilient\nresponse: |\n  Of course!\n\n    1. flour: 500 g\n    2. water # warm\n"
    )


def test_lone_surrogates_become_replacement_characters() -> None:
    assert read(written({"a": "x\ud800y\udfff", "\udc00": "pair \ud83d\ude00"})) == [
        {"a": "x\ufffdy\ufffd", "\ufffd": "pair 😀"}
    ]


@given(st.dictionaries(ALL_TEXT.map(expected), PLAIN_DATA, max_size=4))
def test_plain_data_of_any_shape_is_read_back(document: dict[str, Any]) -> None:
    assert read(written(document)) == [_without_surrogates(document)]


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return expected(value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_surrogates(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize("key", ["long " * 60, "two\nlines", "tab\there", "a: b", "", "😀", "x" * 5000])
def test_any_text_can_be_a_key(key: str) -> None:
    assert read(written({key: {key: [key]}, "last": 1})) == [{key: {key: [key]}, "last": 1}]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.00001, "1.0e-05"),
        (1e16, "1.0e+16"),
        (1.25e-7, "1.25e-07"),
        (0.002103, "0.002103"),
        (-0.0, "-0.0"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
        (2**70, "1180591620717411303424"),
        (True, "true"),
        (None, "null"),
    ],
)
def test_numbers_are_written_as_yaml_1_1_reads_them(number: float | None, text: str) -> None:
    assert written({"number": number}) == f"number: {text}\n"
    (document,) = read(written({"number": number}))
    assert document["number"] == number
    assert type(document["number"]) is type(number)


def test_not_a_number_stays_a_float() -> None:
    (document,) = yaml.safe_load_all(written({"number": math.nan}))
    assert math.isnan(document["number"])


def test_subclasses_of_numbers_are_written_by_value() -> None:
    class Typed(int):
        def __repr__(self) -> str:
            return "as typed"

    assert written({"number": Typed(7)}) == "number: 7\n"


def test_documents_are_separated_and_empty_collections_stay_visible() -> None:
    text = written({"a": [], "b": {}, "c": iter(())}, {"d": ()})
    assert text == "a: []\nb: {}\nc: []\n---\nd: []\n"


def test_what_is_not_plain_data_is_refused() -> None:
    with pytest.raises(TypeError, match="set is not plain data"):
        written({"a": {1, 2}})


def test_an_iterator_is_written_while_it_is_read() -> None:
    """When item n is asked for, most of those before it have left for the file."""
    stream = io.StringIO()
    behind = []

    def items() -> Iterator[str]:
        for number in range(300):
            behind.append(number * 1000 - len(stream.getvalue()))
            yield "x" * 1000

    write_documents(stream, [{"items": items()}])
    assert max(behind) < 100_000


def test_a_full_disk_is_not_taken_for_a_yaml_error() -> None:
    class FullDisk(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_documents(FullDisk(), [{"text": "x" * 100_000}])


def test_a_failure_leaves_the_older_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.yml"
    path.write_text("older: true\n")

    def items() -> Iterator[int]:
        yield 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_yaml(path, [{"items": items()}])
    assert path.read_text() == "older: true\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_takes_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "report.yml"
    with pytest.raises(EnvironmentProblem, match=re.escape(f"The report {path} cannot be written: ")):
        write_yaml(path, [{}])
