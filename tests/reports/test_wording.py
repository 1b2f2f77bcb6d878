"""Figures as people read them."""

from __future__ import annotations

import pytest

from sensei_kumite.reports.wording import count, duration, interval, moment, percent, seconds_between


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0, "0%"),
        (0.00001, "0.1%"),
        (0.004, "0.4%"),
        (0.049, "5%"),
        (0.5, "50%"),
        (0.994, "99%"),
        (0.996, "99.6%"),
        (0.99999, "99.9%"),
        (1, "100%"),
    ],
)
def test_only_none_and_all_are_written_as_0_and_100_percent(share: float, words: str) -> None:
    assert percent(share) == words


def test_an_interval_has_both_ends() -> None:
    assert interval((0.0, 0.434)) == "0% to 43%"


@pytest.mark.parametrize(
    ("number", "noun", "words"),
    [
        (0, "error", "0 errors"),
        (1, "breach", "1 breach"),
        (2, "breach", "2 breaches"),
        (1200, "case", "1,200 cases"),
    ],
)
def test_things_are_counted(number: int, noun: str, words: str) -> None:
    assert count(number, noun) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 s"),
        (9.12, "9.1 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599, "59 min 59 s"),
        (7380, "2 h 3 min"),
    ],
)
def test_durations_have_their_two_largest_units(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_moments_are_in_utc_to_the_minute() -> None:
    assert moment("2026-01-31T10:59:59+02:00") == "2026-01-31 08:59 UTC"
    assert moment("yesterday") == "yesterday"


def test_the_time_between_two_moments() -> None:
    assert seconds_between("2026-01-31T10:00:00+00:00", "2026-01-31T12:00:09+01:00") == 3609
    assert seconds_between("2026-01-31T10:00:00", "2026-01-31T12:00:09+01:00") is None
    assert seconds_between("", "never") is None
