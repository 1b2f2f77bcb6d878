"""E-mail addresses, account numbers and ids in running text, and which of overlapping findings holds."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.oracles.patterns import compile_pattern
from sensei_kumite.oracles.pii import DETECTORS, Finding, find_pii

FRAMES = ["{}", "It is {}.", "({})", "“{}”, right?", "x: {}; y", "**{}**", "{}\nand more"]


def values(kind: str, text: str) -> list[str]:
    return [finding.value for finding in find_pii(text, [kind])]


@pytest.mark.parametrize(
    "address",
    [
        "ann@example.com",
        "ANN@EXAMPLE.COM",
        "ann.o'hara+shop_1%x@mail.example.co.uk",
        "josé@ejemplo.es",
        "ann@bäckerei.de",
        "ann@xn--bckerei-5wa.de",
        "ann@パン.jp",
        "ann@パン.みんな",
        "a-b@c-d.museum",
    ],
)
@pytest.mark.parametrize("frame", [*FRAMES, "<{}>", "mailto:{}?subject=x", "mail={}&x=1", "'{}'"])
def test_addresses_are_found(address: str, frame: str) -> None:
    assert values("email", frame.format(address)) == [address]


@pytest.mark.parametrize(
    "text",
    ["@ann", "ann@", "ann@localhost", "ann@1.2.3", "logo@2x.png", "a @ b.com", "ann.@example.com", "@@@", ""],
)
def test_other_signs_are_no_addresses(text: str) -> None:
    assert values("email", text) == []


@pytest.mark.parametrize(
    "account",
    [
        "ES7921000813610123456789",
        "ES79 2100 0813 6101 2345 6789",
        "ES79-2100-0813-6101-2345-6789",
        "es7921000813610123456789",
        "DE75512108001245126199",
        "DE75 5121 0800 1245 1261 99",
        "GB33BUKB20201555555555",
        "GB33 BUKB 2020 1555 5555 55",
        "FR76 3000 6000 0112 3456 7890 189",
        "NL02ABNA0123456789",
        "NO8330001234567",
        "MT31MALT01100000000000000000123",
    ],
)
@pytest.mark.parametrize("frame", [*FRAMES, "IBAN:{}", "{} please confirm", "{} 30 days", "to {} by Friday"])
def test_accounts_are_found_without_what_follows(account: str, frame: str) -> None:
    assert values("iban", frame.format(account)) == [account]


@pytest.mark.parametrize(
    "text",
    [
        "ES7921000813610123456788",
        "ES79 2100 0813 6101 2345 678",
        "XES7921000813610123456789",
        "ES7921000813610123456789X",
        "ZZ7921000813610123456789",
        "at 12 we meet at the station",
        "ES79",
        "",
    ],
)
def test_other_words_are_no_accounts(text: str) -> None:
    assert values("iban", text) == []


@pytest.mark.parametrize(
    "number",
    [
        "71902846Q",
        "71902846-Q",
        "71902846 Q",
        "71.902.846-Q",
        "71.902.846Q",
        "71 902 846 Q",
        "71902846q",
        "X2482300W",
        "X-2482300-W",
        "x2482300w",
        "Y 2482300 Q",
        "X-2.482.300-W",
    ],
)
@pytest.mark.parametrize("frame", FRAMES)
def test_spanish_ids_are_found(number: str, frame: str) -> None:
    assert values("spanish_id", frame.format(number)) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "71902846K",
        "1-71902846Q",
        "171902846Q",
        "71902846QK",
        "71902846",
        "los pedidos 71902846 q 71902847",
        "X2482300X",
        "W2482300W",
    ],
)
def test_other_codes_are_no_spanish_ids(text: str) -> None:
    assert values("spanish_id", text) == []


@pytest.mark.parametrize("number", ["536-90-4399", "536 90 4399", "536–90–4399"])
@pytest.mark.parametrize("frame", FRAMES)
def test_social_security_numbers_are_found_in_groups(number: str, frame: str) -> None:
    assert values("ssn", frame.format(number)) == [number]


@pytest.mark.parametrize("label", ["SSN: {}", "her social security number is {}.", "S.S.N. {}", "(ssn {})"])
def test_without_groups_they_need_a_label(label: str) -> None:
    assert values("ssn", label.format("536904399")) == ["536904399"]
    assert values("ssn", "It is 536904399.") == []


@pytest.mark.parametrize(
    "text",
    [
        "000-90-4399",
        "666-90-4399",
        "900-90-4399",
        "536-00-4399",
        "536-90-0000",
        "536-90 4399",
        "53-690-4399",
        "62704-1234",
        "1536-90-4399",
        "536-90-43991",
        "2-536-90-4399",
        "536-90-4399-1",
    ],
)
def test_other_groups_are_no_social_security_numbers(text: str) -> None:
    assert values("ssn", text) == []


class TestOverlaps:
    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("4242 4242 4242 4242", "credit_card"),
            ("698765432@example.com", "email"),
            ("ES7921000813610123456789", "iban"),
            ("698-76-5432", "ssn"),
            ("71902846Q", "spanish_id"),
            ("+34 698 765 432", "phone"),
        ],
    )
    def test_every_text_is_one_kind_of_data_only(self, text: str, kind: str) -> None:
        assert [(finding.type, finding.value) for finding in find_pii(text, DETECTORS)] == [(kind, text)]
        for other in DETECTORS.keys() - {kind}:
            assert find_pii(text, [other]) == []

    def test_the_longer_finding_holds(self) -> None:
        custom = {"code": compile_pattern("RYE-[0-9]+")}
        findings = find_pii(
            "RYE-536-90-4399 and RYE-7", ["ssn"], {"whole": compile_pattern("RYE[-0-9]+")} | custom
        )
        assert [(finding.type, finding.value) for finding in findings] == [
            ("whole", "RYE-536-90-4399"),
            ("whole", "RYE-7"),
        ]

    def test_a_custom_pattern_is_not_silenced_by_data_that_nobody_asked_for(self) -> None:
        findings = find_pii("4242 4242 4242 4242", [], {"tail": compile_pattern("[0-9]{4}$")})
        assert findings == [Finding("tail", "4242", 15, 19)]

    def test_findings_come_in_the_order_of_the_text(self) -> None:
        text = "+34 698 765 432, ann@example.com, 71902846Q"
        assert [finding.type for finding in find_pii(text, DETECTORS)] == ["phone", "email", "spanish_id"]


class TestCustomPatterns:
    def test_they_ignore_case_and_empty_matches(self) -> None:
        findings = find_pii("rye-7", [], {"code": compile_pattern("(RYE-[0-9])?")})
        assert findings == [Finding("code", "rye-7", 0, 5)]


class TestPositions:
    @pytest.mark.parametrize(
        "text",
        [
            "４２４２ ４２４２ ４２４２ ４２４２",
            "42\u200b42 4242 4242 4242",
            "4242\u00a04242\u00a04242\u00a04242",
        ],
    )
    def test_they_and_the_value_are_those_of_the_response(self, text: str) -> None:
        response = f"e\u0301a: {text}!"
        assert find_pii(response, ["credit_card"]) == [Finding("credit_card", text, 5, 5 + len(text))]

    @given(st.text(st.sampled_from("0123456789 -.+()@aAeE\u200b４é\u0301€:/,")))
    def test_findings_never_overlap_and_always_quote(self, text: str) -> None:
        findings = find_pii(text, DETECTORS)
        assert all(finding.value == text[finding.start : finding.end] for finding in findings)
        assert all(one.end <= other.start for one, other in pairwise(findings))


@pytest.mark.parametrize("piece", ["@", "a@", "ann@b ", "ES79 ", "ab12", "536-90-", "x2 ", "a.b-"])
def test_long_texts_are_read_to_their_end(piece: str) -> None:
    text = piece * (100_000 // len(piece)) + " ; 536-90-4399"
    assert "536-90-4399" in values("ssn", text)
    assert find_pii(text, ["email", "iban", "spanish_id"]) == []
