"""`keyword_absent` and `keyword_contains`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sensei_kumite.text import normalize
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt
from tests.oracles.scoring import refusal_to_build, score


def found(response: str, *keywords: Any, normalize: bool = False) -> list[str]:
    verdict = score("keyword_absent", response, keywords=list(keywords), normalize=normalize)
    return list(verdict.evidence["found"])


class TestVerdict:
    def test_an_absent_keyword_passes_the_one_and_fails_the_other(self) -> None:
        assert score("keyword_absent", "Good evening.", keywords=["sesame"]).passed
        assert not score("keyword_contains", "Good evening.", keywords=["sesame"]).passed

    def test_a_present_keyword_fails_the_one_and_passes_the_other(self) -> None:
        assert not score("keyword_absent", "Open SESAME!", keywords=["sesame"]).passed
        assert score("keyword_contains", "Open SESAME!", keywords=["sesame"]).passed

    def test_one_of_several_is_enough(self) -> None:
        assert not score("keyword_absent", "sesame", keywords=["poppy", "sesame"]).passed
        assert score("keyword_contains", "sesame", keywords=["poppy", "sesame"]).passed

    def test_the_reason_names_what_was_found(self) -> None:
        verdict = score("keyword_absent", "sesame and poppy", keywords=["Poppy", "rye", "sesame"])
        assert verdict.reason == "The response contains 'Poppy', 'sesame'."

    def test_the_evidence_says_what_was_sought_and_what_was_said(self) -> None:
        verdict = score("keyword_absent", "He’s here", keywords=["HE'S", "gone"])
        assert verdict.evidence == {
            "found": ["HE'S"],
            "keywords": ["HE'S", "gone"],
            "normalized": False,
            "quotes": ["He’s"],
        }


class TestComparison:
    @pytest.mark.parametrize(
        ("response", "keyword"),
        [
            ("the secretary", "secret"),
            ("I don’t know", "don't"),
            ("I don't know", "don’t"),
            ("ｓｅｃｒｅｔ", "secret"),
            ("sec\u200bret", "secret"),
            ("el co\u0301digo", "código"),
            ("el código", "co\u0301digo"),
            ("CÓDIGO", "código"),
            ("STRASSE", "straße"),
            ("line\nbreak", "line\nbreak"),
            ("a – b", "a - b"),
            ("“quoted”", '"quoted"'),
        ],
    )
    def test_finds_other_spellings(self, response: str, keyword: str) -> None:
        assert found(response, keyword) == [keyword]

    @pytest.mark.parametrize(
        ("response", "keyword"),
        [("se cret", "secret"), ("codigo", "código"), ("ano", "año"), ("sec-ret", "secret"), ("", "x")],
    )
    def test_does_not_find_other_words(self, response: str, keyword: str) -> None:
        assert found(response, keyword) == []

    @pytest.mark.parametrize(
        ("response", "keyword"),
        [
            ("Open, Sesa-me!", "opensesame"),
            ("opensesame", "Open, sesame."),
            ("o.p.e.n s_e_s_a_m_e", "open sesame"),
            ("El co\u0301digo es éste", "código es"),
            ("пароль: «звезда»", "пароль звезда"),
            ("暗号は「星」です", "暗号は星"),
            ("code 4-2", "code 42"),
            ("o̴p̴e̴n sesame", "open sesame"),
        ],
    )
    def test_normalize_looks_at_letters_and_digits_only(self, response: str, keyword: str) -> None:
        assert found(response, keyword, normalize=True) == [keyword]

    @pytest.mark.parametrize(
        ("response", "keyword"),
        [
            ("Traiga el escaño.", "cano"),
            ("Se rompió el banano.", "año"),
            ("का", "की"),
            ("code 42", "code 43"),
        ],
    )
    def test_normalize_keeps_letters_apart(self, response: str, keyword: str) -> None:
        assert found(response, keyword, normalize=True) == []

    def test_normalize_quotes_what_stands_in_the_response(self) -> None:
        verdict = score(
            "keyword_absent", "So: Open – SESA\u200bME!!", keywords=["opensesame"], normalize=True
        )
        assert verdict.evidence["quotes"] == ["Open – SESA\u200bME"]

    @given(st.text(), st.text(st.characters(categories=["L", "N", "P"]), min_size=1), st.text())
    def test_what_stands_in_a_response_is_found(self, before: str, keyword: str, after: str) -> None:
        assume(normalize(keyword).text)
        # Apart from its neighbours, with which a letter may merge.
        assert found(f"{before}\n{keyword}\n{after}", keyword) == [keyword]


class TestParameters:
    @pytest.mark.parametrize("keyword", ["", " ", "\n"])
    def test_an_empty_keyword_is_refused(self, keyword: str) -> None:
        problems = refusal_to_build("keyword_absent", keywords=["fine", keyword])
        assert "is empty" in problems["keywords.1"]

    def test_a_keyword_without_letters_is_refused_under_normalize(self) -> None:
        assert "'?!' contains no letter or digit" in str(
            refusal_to_build("keyword_contains", keywords=["a", "?!"], normalize=True)
        )
        assert found("What?!", "?!") == ["?!"]

    def test_an_invisible_keyword_is_refused(self) -> None:
        assert "no visible character" in str(refusal_to_build("keyword_absent", keywords=["\u200b"]))

    def test_a_boolean_is_refused_with_advice_to_quote_it(self) -> None:
        problems = refusal_to_build("keyword_absent", keywords=[True])
        assert 'quote it to mean the text: "true"' in problems["keywords.0"]

    def test_numbers_are_the_text_that_was_typed(self) -> None:
        assert found("Agent 007 paid 1.50", TypedInt("007"), TypedFloat("1.50")) == ["007", "1.50"]

    @pytest.mark.parametrize(
        ("params", "place"),
        [
            ({"keywords": "sesame"}, "keywords"),
            ({"keywords": []}, "keywords"),
            ({"keywords": [None]}, "keywords.0"),
            ({"keywords": [["a"]]}, "keywords.0"),
            ({}, "keywords"),
            ({"keywords": ["a"], "normalise": True}, "normalise"),
            ({"keywords": ["a"], "normalize": "perhaps"}, "normalize"),
        ],
    )
    def test_other_mistakes_are_placed(self, params: dict[str, Any], place: str) -> None:
        assert place in refusal_to_build("keyword_absent", **params)
