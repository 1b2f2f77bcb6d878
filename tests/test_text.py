"""Making text comparable, short, safe to show, and free of secrets."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.text import (
    did_you_mean,
    excerpt,
    normalize,
    public_url,
    redact,
    replace_surrogates,
    spreadsheet_cell,
    visible,
)

ANY_TEXT = st.text(st.characters())


class TestNormalize:
    @pytest.mark.parametrize(
        ("text", "normal"),
        [
            ("plain text", "plain text"),
            ("I’m “sorry”", 'I\'m "sorry"'),
            ("a–b—c−d‑e", "a-b-c-d-e"),
            ("ｒｏｂｏ１", "robo1"),
            ("co\u0301digo", "código"),
            ("man\u0303ana", "mañana"),
            ("k\u200be\u2060y\ufeff", "key"),
            ("so\u00adft", "soft"),
            ("ab\u202ec", "abc"),
        ],
    )
    def test_makes_spellings_equal(self, text: str, normal: str) -> None:
        assert normalize(text).text == normal

    def test_keeps_letters_that_differ_apart(self) -> None:
        assert normalize("año").text != normalize("ano").text

    @pytest.mark.parametrize(
        ("text", "normal"), [("ROBO", "robo"), ("CÓDIGO", "código"), ("Straße", "strasse")]
    )
    def test_folds_case_when_asked(self, text: str, normal: str) -> None:
        assert normalize(text, fold_case=True).text == normal
        assert normalize(text).text == text

    def test_can_quote_what_was_written(self) -> None:
        shape = normalize("It’s the co\u0301digo, ﬁne", fold_case=True)
        start = shape.text.index("código")
        assert shape.quote(start, start + 6) == "co\u0301digo"
        assert shape.quote(start, start) == ""
        fine = shape.text.index("fine")
        assert shape.quote(fine, fine + 4) == "ﬁne"

    @given(ANY_TEXT, st.booleans())
    def test_maps_every_character_back(self, text: str, fold_case: bool) -> None:
        shape = normalize(text, fold_case=fold_case)
        assert len(shape.origins) == len(shape.text) + 1
        assert list(shape.origins) == sorted(shape.origins)
        assert shape.origins[-1] == len(text)
        assert shape.source == text

    @given(st.text(st.characters(max_codepoint=0x24F)))
    def test_does_not_depend_on_composition(self, text: str) -> None:
        composed, apart = unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)
        assert normalize(composed, fold_case=True).text == normalize(apart, fold_case=True).text


class TestExcerpt:
    def test_is_one_line(self) -> None:
        assert excerpt(" a\n\n b\t c ") == "a b c"

    def test_is_cut_with_an_ellipsis(self) -> None:
        assert excerpt("x" * 20, 10) == "x" * 9 + "…"
        assert excerpt("x" * 10, 10) == "x" * 10

    @given(ANY_TEXT, st.integers(1, 50))
    def test_is_never_longer_than_asked(self, text: str, limit: int) -> None:
        assert len(excerpt(text, limit)) <= limit
        assert "\n" not in excerpt(text, limit)

    def test_of_much_blank_says_that_more_follows(self) -> None:
        assert excerpt("a" + " " * 1000 + "b", 10).endswith("…")


class TestVisible:
    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\x1b[31mred", "\\x1b[31mred"),
            ("a\rb\x07\x9b", "a\\x0db\\x07\\x9b"),
            ("\u202egnp.exe", "\\u202egnp.exe"),
            ("\ud800", "\\ud800"),
            ("ñ 日本 😀", "ñ 日本 😀"),
        ],
    )
    def test_escapes_what_acts_on_a_terminal(self, text: str, shown: str) -> None:
        assert visible(text) == shown

    @given(ANY_TEXT)
    def test_can_be_printed_and_needs_no_second_time(self, text: str) -> None:
        shown = visible(text)
        shown.encode()
        assert visible(shown) == shown


class TestReplaceSurrogates:
    def test_marks_lone_ones_and_joins_pairs(self) -> None:
        assert replace_surrogates("a\ud800b\ud83d\ude00") == "a\ufffdb😀"

    @given(st.text())
    def test_leaves_all_else_alone(self, text: str) -> None:
        assert replace_surrogates(text) == text


class TestRedact:
    def test_blanks_every_occurrence(self) -> None:
        assert redact("key=abc&again=abc", ["abc"]) == "key=[secret]&again=[secret]"

    def test_leaves_no_rest_of_a_secret_that_holds_another(self) -> None:
        assert redact("token abcdef", ["abc", "abcdef"]) == "token [secret]"

    def test_an_empty_secret_is_none(self) -> None:
        assert redact("text", ["", "x"]) == "te[secret]t"


class TestPublicUrl:
    @pytest.mark.parametrize(
        ("url", "shown"),
        [
            ("http://host:1/v1", "http://host:1/v1"),
            ("https://me:secret@host/v1?key=secret#secret", "https://host/v1"),
            ("not an address", "not an address"),
        ],
    )
    def test_shows_where_and_not_who(self, url: str, shown: str) -> None:
        assert public_url(url) == shown


class TestSpreadsheetCell:
    @pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\t=1", "\r=1"])
    def test_what_looks_like_a_formula_becomes_text(self, text: str) -> None:
        assert spreadsheet_cell(text) == f"'{text}"

    @pytest.mark.parametrize("text", ["", "1+1", " =1", "'=1", "a@b"])
    def test_other_text_stays(self, text: str) -> None:
        assert spreadsheet_cell(text) == text


class TestDidYouMean:
    @pytest.mark.parametrize(
        ("word", "hint"),
        [
            ("atempts", " Did you mean 'attempts'?"),
            ("ATTEMPTS", " Did you mean 'attempts'?"),
            ("zzz", ""),
            ("", ""),
        ],
    )
    def test_offers_the_closest_option(self, word: str, hint: str) -> None:
        assert did_you_mean(word, ["attempts", "timeout"]) == hint

    def test_keeps_the_spelling_of_the_option(self) -> None:
        assert did_you_mean("tolower", ["ToLower"]) == " Did you mean 'ToLower'?"

    def test_without_options_says_nothing(self) -> None:
        assert did_you_mean("word", []) == ""
