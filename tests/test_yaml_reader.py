"""Files as people have them: encodings, line ends, versions, mistakes; and where each value stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite import yaml_nodes
from sensei_kumite.errors import ConfigurationError
from sensei_kumite.yaml_reader import load_yaml, parse_yaml
from sensei_kumite.yaml_scalars import as_typed

FILE = Path("a.yml")
# PyYAML writes U+0085 as it is, and itself reads a space then.
PYYAML_KEEPS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x85"))
YAML_LIKE = st.text(
    alphabet=st.sampled_from("ab:-?[]{},#&*!|>'\"%@` \n\t\r\\<=~.0123é\u2028\x07\ufeff"), max_size=40
)


def plain_data(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
        lambda inner: st.lists(inner, max_size=5) | st.dictionaries(texts, inner, max_size=5),
        max_leaves=20,
    )


def same(found: Any, written: Any) -> bool:
    """Whether they are equal. PyYAML writes the text `1e5` without quotes: there the spelling counts."""
    if isinstance(written, dict):
        return found.keys() == written.keys() and all(same(found[key], written[key]) for key in written)
    if isinstance(written, list):
        return len(found) == len(written) and all(map(same, found, written))
    return as_typed(found) == written if isinstance(written, str) else bool(found == written)


def load(text: str) -> Any:
    return parse_yaml(text, FILE).data


def complaint(text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(text)
    return str(caught.value)


class TestAnyText:
    @given(data=plain_data(PYYAML_KEEPS), allow_unicode=st.booleans())
    def test_what_pyyaml_dumps_loads_back_equal(self, data: Any, allow_unicode: bool) -> None:
        for style in (None, True):
            text = yaml.safe_dump(data, allow_unicode=allow_unicode, default_flow_style=style)
            assert same(load(text), data)

    @given(data=plain_data(st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]))))
    def test_json_is_yaml(self, data: Any) -> None:
        assert load(json.dumps(data, ensure_ascii=False)) == data

    @given(st.text() | YAML_LIKE)
    def test_loads_or_is_a_configuration_error(self, text: str) -> None:
        try:
            load(text)
        except ConfigurationError as error:
            assert all(problem.place and problem.place.line for problem in error.problems)


class TestPlaces:
    DOCUMENT = parse_yaml("execution:\n  attempts: 3\nattacks:\n- name: a\n  turns: [x, y]\n", FILE)

    @pytest.mark.parametrize(
        ("path", "place"),
        [
            ((), "a.yml:1:1"),
            (("execution", "attempts"), "a.yml:2:13"),
            (("attacks",), "a.yml:4:1"),
            (("attacks", 0), "a.yml:4:3"),
            (("attacks", 0, "turns", 1), "a.yml:5:14"),
        ],
    )
    def test_of_values(self, path: tuple[str | int, ...], place: str) -> None:
        assert str(self.DOCUMENT.place(path)) == place

    @pytest.mark.parametrize(
        ("path", "place"),
        [
            (("execution",), "a.yml:1:1"),
            (("attacks", 0, "turns"), "a.yml:5:3"),
            (("attacks", 0), "a.yml:4:3"),
        ],
    )
    def test_of_keys(self, path: tuple[str | int, ...], place: str) -> None:
        assert str(self.DOCUMENT.place(path, key=True)) == place

    @pytest.mark.parametrize(
        ("path", "place"),
        [
            (("nothing",), "a.yml:1:1"),
            (("execution", "seed"), "a.yml:2:3"),
            (("attacks", 7, "name"), "a.yml:4:1"),
            (("execution", "attempts", "deeper", 3), "a.yml:2:13"),
        ],
    )
    def test_of_what_is_missing_are_those_of_the_nearest_parent(
        self, path: tuple[str | int, ...], place: str
    ) -> None:
        assert str(self.DOCUMENT.place(path)) == place
        assert str(self.DOCUMENT.place(path, key=True)) == place

    @pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("start", ["", "\ufeff", "%YAML 1.2\n---\n", "\ufeff%YAML 1.2\n---\n"])
    def test_do_not_depend_on_line_ends_or_marks(self, line_end: str, start: str) -> None:
        text = start + "a: 1\nb:\n  - é x\n  - y\n"
        document = parse_yaml(text.replace("\n", line_end), FILE)
        assert document.data == {"a": 1, "b": ["é x", "y"]}
        assert document.place(("b", 1)).line == 4 + start.count("\n")
        assert document.place(("b", 1)).column == 5


class TestVersions:
    @pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "1.42"])
    def test_are_all_read_as_1_2(self, version: str) -> None:
        assert load(f"%YAML {version}\n---\nanswer: no\ncode: 017") == {"answer": "no", "code": 17}

    def test_may_follow_comments_and_be_followed_by_one(self) -> None:
        assert load("# a file\n\n  # of mine\n%YAML 1.2 # really\n---\na: 1") == {"a": 1}

    def test_of_another_language_are_refused(self) -> None:
        assert complaint("%YAML 2.0\n---\na: 1").startswith("a.yml:1:1: ")

    def test_in_a_text_are_text(self) -> None:
        assert load("a: |\n  %YAML 1.3\n  ---\n") == {"a": "%YAML 1.3\n---\n"}


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "place", "words"),
        [
            ("a: 1\nb: [1, 2\nc: 3\n", "a.yml:3:2", "',' or ']' was expected here (compare line 2)"),
            ("a: 1\n b: 2\n", "a.yml:2:3", "check how the lines are indented"),
            ("a: b: c\n", "a.yml:1:5", "Quote a value that contains ': '"),
            ("x: 1\na: 'never\nclosed: 1\n", "a.yml:2:4", "quotes that open here are never closed"),
            ('x: 1\na: "never\nclosed: 1\n', "a.yml:2:4", "quotes that open here are never closed"),
            ("a:\n\tb: 1\n", "a.yml:2:1", "Indent with spaces, not with tabs."),
            ("user: @me\n", "a.yml:1:7", "A value that starts with @ must be quoted."),
            ("run: `ls`\n", "a.yml:1:6", "A value that starts with ` must be quoted."),
            ("share: %5\n", "a.yml:1:8", "A value that starts with % must be quoted."),
            ("- a\nb: c\n", "a.yml:2:1", "a list item ('- ') was expected here (compare line 1)"),
            ("a: b\nnothing\nc: d\n", "a.yml:2:1", "a ':' was expected after this key"),
            ("a: [\n", "a.yml:2:1", "a value was expected here"),
            ("a: b\n]\n", "a.yml:2:1", "was expected here"),
            ('a: "\\q"\n', "a.yml:1:5", "Use single quotes"),
        ],
    )
    def test_are_placed_and_explained(self, text: str, place: str, words: str) -> None:
        message = complaint(text)
        assert message.startswith(f"{place}: ")
        assert words in message

    @pytest.mark.parametrize(
        "value", ["{{template}}", "{{ template }}", "{{a}} and {{b}}", "[{{a}}]", "\n    {{x}}"]
    )
    def test_an_unquoted_placeholder_is_told_to_be_quoted(self, value: str) -> None:
        message = complaint(f"cases:\n  - id: x\n    prompt: {value}\n")
        assert 'must be quoted: "{{name}}"' in message

    def test_the_offending_line_is_shown_with_its_number(self) -> None:
        text = "oracle:\n  type: x\ncases:\n  - id: x\n    prompt: {{template}}\n"
        assert complaint(text).startswith("a.yml:5:14: ")
        assert "in line 5: `prompt: {{template}}`." in complaint(text)

    def test_of_a_long_line_only_the_part_is_shown(self) -> None:
        message = complaint(f"a: {'x' * 5000}: {'y' * 5000}")
        assert "xxx: yyy" in message
        assert len(message) < 400

    def test_hostile_text_is_shown_escaped(self) -> None:
        assert "\\u202e" in complaint("a: b: \u202e")

    @pytest.mark.parametrize(
        ("character", "code"),
        [("\x07", "U+0007"), ("\x00", "U+0000"), ("\x7f", "U+007F"), ("\ud800", "U+D800")],
    )
    def test_control_characters_are_placed(self, character: str, code: str) -> None:
        message = complaint(f"a: 1\r\nb: x{character}y")
        assert message.startswith(f"a.yml:2:5: the character {code} cannot stand in YAML as it is")

    def test_characters_may_be_written_as_escapes(self) -> None:
        assert load('a: "\\x07\\u2028\\U0001f600\\/"') == {"a": "\x07\u2028\U0001f600/"}

    def test_a_break_of_yaml_1_1_keeps_line_numbers_right(self) -> None:
        assert "in line 3: `c: d: e`" in complaint("a: 'x\u2028  y'\nc: d: e")


class TestValues:
    def test_keep_what_yaml_1_1_would_change(self) -> None:
        text = "- no\n- on\n- 12:30\n- 2026-06-07\n- 2026-06-07T18:30:00Z\n- 0b1\n- 1_000\n"
        assert load(text) == ["no", "on", "12:30", "2026-06-07", "2026-06-07T18:30:00Z", "0b1", "1_000"]

    def test_remember_how_numbers_were_typed(self) -> None:
        assert as_typed(load("[007, 1.10, 0x1F, 1e5, .INF]")) == ["007", "1.10", "0x1F", "1e5", ".INF"]

    def test_in_quotes_are_text(self) -> None:
        assert load("['007', \"true\", 'null', '~', '']") == ["007", "true", "null", "~", ""]

    def test_may_be_huge(self) -> None:
        assert len(load(f"a: |\n  {'x' * 2_000_000}\n")["a"]) == 2_000_001

    def test_of_many_lines_are_all_there(self) -> None:
        count = 20_000
        data = load("".join(f"- id: c{number}\n  prompt: 'Say {number}'\n" for number in range(count)))
        assert len(data) == count
        assert data[-1] == {"id": f"c{count - 1}", "prompt": f"Say {count - 1}"}

    def test_are_read_alike_without_libyaml(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = "%YAML 1.2\n---\na: &a [007, no, 'x']\nb: {<<: {c: 1}, d: *a}\n"
        expected = load(text)
        monkeypatch.setattr(yaml_nodes, "_LOADER", yaml.SafeLoader)
        assert load(text) == expected
        assert complaint("a: b: c").startswith("a.yml:1:5: ")


class TestFiles:
    def test_are_read_as_utf_8_with_or_without_a_mark(self, tmp_path: Path) -> None:
        path = tmp_path / "a.yml"
        for start in (b"", b"\xef\xbb\xbf"):
            path.write_bytes(start + "a: ñ\r\n".encode())
            document = load_yaml(path)
            assert document.data == {"a": "ñ"}
            assert document.path == path

    def test_in_another_encoding_are_placed_by_line(self, tmp_path: Path) -> None:
        path = tmp_path / "a.yml"
        path.write_bytes("a: 1\nb: ñ\n".encode("latin-1"))
        with pytest.raises(ConfigurationError, match=r"a\.yml:2: this is not UTF-8 text\. Save the file"):
            load_yaml(path)

    @pytest.mark.parametrize(
        "content", [b"\xff\xfea\x00:\x00", b"\x89PNG\r\n\x1a\n\x00", b"MZ\x90\x00", b"\n\n\x00"]
    )
    def test_that_are_no_text_are_errors(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "a.yml"
        path.write_bytes(content)
        with pytest.raises(ConfigurationError, match=r"a\.yml:[13]"):
            load_yaml(path)

    def test_that_are_not_there_say_so(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match=r"b\.yml: this file does not exist"):
            load_yaml(tmp_path / "b.yml")

    def test_that_are_folders_say_so(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="this is a folder where a file belongs"):
            load_yaml(tmp_path)

    def test_that_the_system_cannot_name_are_errors(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="this file cannot be read"):
            load_yaml(tmp_path / ("x" * 5000))


class TestTextOnly:
    @pytest.mark.parametrize(
        "typed", ["true", "False", "NULL", "~", "007", "1.10", "0x1F", ".inf", "1e5", "No", "12:30", "-0"]
    )
    def test_an_unquoted_word_is_what_was_typed(self, typed: str) -> None:
        document = parse_yaml(f"a: {typed}\nb: [{typed}]\n", FILE, text_only=True)
        assert document.data == {"a": typed, "b": [typed]}

    def test_nothing_typed_is_nothing_and_quotes_are_empty_text(self) -> None:
        assert parse_yaml("a:\nb: ''\n", FILE, text_only=True).data == {"a": None, "b": ""}

    def test_keys_still_merge(self) -> None:
        text = "a: &a {x: 1}\nb: {<<: *a, y: true}\n"
        assert parse_yaml(text, FILE, text_only=True).data["b"] == {"x": "1", "y": "true"}

    def test_tags_still_have_to_fit(self) -> None:
        with pytest.raises(ConfigurationError, match="does not fit here"):
            parse_yaml("a: !!python/name:os.system x", FILE, text_only=True)

    def test_files_are_read_the_same_way(self, tmp_path: Path) -> None:
        path = tmp_path / "a.yml"
        path.write_text("a: 007\n")
        assert load_yaml(path, text_only=True).data == {"a": "007"}
