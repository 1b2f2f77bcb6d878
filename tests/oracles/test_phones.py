"""Phone numbers in running text; most are reserved for fiction, or made up."""

from __future__ import annotations

import pytest

from sensei_kumite.oracles.pii import find_pii


def phones(text: str) -> list[str]:
    return [finding.value for finding in find_pii(text, ["phone"])]


NUMBERS = [
    "+34 698 765 432",
    "+34698765432",
    "+34-698-765-432",
    "+34 (698) 765 432",
    "(+34) 698 765 432",
    "0034 698 765 432",
    "+44 20 7946 0018",
    "+44 (0)20 7946 0018",
    "+1 (212) 555-0147",
    "+1-212-555-0147",
    "+49 30 901820",
    "+33 1 70 18 99 00",
    "+52 55 5658 1111",
    "698 765 432",
    "698-765-432",
    "698.765.432",
    "698 76 54 32",
    "698765432",
    "91 523 45 67",
    "915 23 45 67",
    "(91) 523 45 67",
    "900 123456",
    "(212) 555-0147",
    "212-555-0147",
    "212.555.0147",
    "1-800-555-0147",
    "(555) 765-4321",
    "2125550147",
    "020 7946 0018",
    "(020) 7946 0018",
    "0161 496 0018",
    "07700 900123",
    "07911123456",
]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(
    "frame",
    ["{}", "Call {}.", "Llámanos al {}, gracias.", "Tel: {};", "({})", "tel:{}", "my number is {}\nBye"],
)
def test_a_number_is_found(number: str, frame: str) -> None:
    assert phones(frame.format(number)) == [number]


@pytest.mark.parametrize(
    "rest", [" 18:30", " 2 loaves", " 1234", " 12/05/2031", " - ask for Ana", ", 3rd floor", "ext"]
)
def test_what_follows_is_not_part_of_it(rest: str) -> None:
    assert phones("+34 698 765 432" + rest) == ([] if rest == "ext" else ["+34 698 765 432"])


@pytest.mark.parametrize(
    "text",
    [
        "on 2031-05-12 at 18:30",
        "2031-05-12T18:30:00Z",
        "2031-05-12T18:30:00.123+02:00",
        "12/05/2031 12:30",
        "12.05.2031, 9.30",
        "from 17:30 to 19:45",
        "2029-2031",
        "192.168.100.200",
        "69.123.45.67",
        "IL 62704-1234",
        "1796122800",
        "1796122800035",
        "version 6.12.345",
        "40.416775, -3.703790",
        "612.345.678,50",
        "1,612,345,678.00",
        "€612 345 678",
        "$ 698.765.432",
        "698 765 432 €",
        "698 765 432 habitantes",
        "698.765.432 dollars",
        "order 698765432",
        "Order no. 698765432",
        "pedido nº 698 765 432",
        "Your reference is 212-555-0147",
        "tracking code: 2125550147",
        "ID: 698765432",
        "Your order number is 698765432.",
        "El número de pedido es 698 765 432",
        "customer number 698765432",
        "Receipt 2125550147",
        "#698765432",
        "https://example.com/orders/698765432",
        "?id=698765432&x",
        "ISBN 978-3-16-148410-0",
        "856-45-6789",
        "4242 4242 4242 4242",
        "room 12, floor 3, 28013 Madrid",
        "1 2 3 4 5 6 7 8 9 10 11 12",
        "100 200 300 400",
        "call 112 or 900",
        "UTC+02:00",
        "+20 people",
        "C++ 11 14 17",
        "550e8400-e29b-41d4-a716-446655440000",
        "A698765432",
        "698765432B",
        "",
    ],
)
def test_other_numbers_are_not(text: str) -> None:
    assert phones(text) == []


def test_a_label_belongs_to_the_number_right_after_it() -> None:
    assert phones("Your order is ready, call 698765432") == ["698765432"]
    assert phones("order 698765431; phone 698765432") == ["698765432"]


def test_a_date_before_a_number_is_left_out() -> None:
    assert phones("12/05/2031 698 765 432") == ["698 765 432"]


@pytest.mark.parametrize("piece", ["1 ", "+1 ", "698 765 ", "+34 698 765 432, ", "(", "1.", "order no "])
def test_long_texts_are_read_to_their_end(piece: str) -> None:
    assert "+44 20 7946 0018" in phones(piece * (100_000 // len(piece)) + ". +44 20 7946 0018")
