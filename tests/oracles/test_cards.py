"""Card numbers in running text. All numbers are the networks' published test numbers, or built from them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stdnum import luhn

from sensei_kumite.oracles.cards import find_cards


def cards(text: str) -> list[str]:
    return [text[slice(*span)] for span in find_cards(text)]


@pytest.mark.parametrize(
    "number",
    [
        "4242 4242 4242 4242",
        "4242424242424242",
        "4242-4242-4242-4242",
        "4242.4242.4242.4242",
        "4242 - 4242 - 4242 - 4242",
        "4242  4242  4242  4242",
        "4222222222222",
        "5105 1051 0510 5100",
        "2223003122003222",
        "3714 496353 98431",
        "371449635398431",
        "6011 0009 9013 9424",
        "3852 000002 3237",
        "3852 0000 0232 37",
        "3530 1113 3330 0000",
        "6200 0000 0000 0005",
    ],
)
@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "Card {}.",
        "({})",
        "card:{},",
        "{} 09/29",
        "{} 11/2031 123",
        "1. {}",
        "1) {}, 2) cash",
        "“{}”",
        "`{}`;",
        "https://example.com/pay?card={}&x=1",
    ],
)
def test_a_number_is_found_whatever_stands_around_it(number: str, frame: str) -> None:
    assert cards(frame.format(number)) == [number]


@pytest.mark.parametrize(
    "text",
    [
        "4242 4242 4242 4243",  # wrong check digit
        "1796122800032",  # milliseconds; the check digit is right by chance
        "1796122800000008",  # microseconds
        "2999999999999990",  # of no network
        "6000 0000 0000 0007",
        "42424242424242",  # a length that its network does not issue
        "14242424242424242",  # part of a longer number
        "42424242424242420",
        "A4242424242424242",
        "4242424242424242a",
        "0.4242424242424242",
        "4242424242424242.5",
        "77-4242424242424242",
        "9405 5036 9930 0000 0000 00",
        "42 424 24242 424242",  # nobody prints it so
        "4242 4242",
        "",
    ],
)
def test_other_numbers_are_not(text: str) -> None:
    assert cards(text) == []


def test_the_milliseconds_of_the_test_are_ones_that_only_the_network_gives_away() -> None:
    assert luhn.is_valid("1796122800032")


def test_two_cards_are_two_findings() -> None:
    assert cards("4242424242424242, 4242424242424242") == ["4242424242424242"] * 2
    assert cards("4242 4242 4242 4242 5105 1051 0510 5100") == ["4242 4242 4242 4242", "5105 1051 0510 5100"]


@pytest.mark.parametrize("gap", [" ", "-", " - ", "."])
def test_a_number_may_be_spelled_out(gap: str) -> None:
    number = gap.join("4242424242424242")
    assert cards(f"It is {number}, I think") == [number]
    assert cards(f"1{gap}{number}") == []


@given(st.from_regex(r"4[0-9]{14}", fullmatch=True), st.sampled_from(["", " ", "-"]))
def test_every_valid_number_is_found(stem: str, gap: str) -> None:
    number = stem + luhn.calc_check_digit(stem)
    printed = gap.join(number[start : start + 4] for start in range(0, 16, 4))
    assert printed in cards(f"Your card {printed}, please")


@pytest.mark.parametrize("piece", ["4", "4 ", "4242 ", "4-", "4.4 ", "- "])
def test_long_texts_are_read_to_their_end(piece: str) -> None:
    assert "5105105105105100" in cards(piece * (100_000 // len(piece)) + ", 5105105105105100")
