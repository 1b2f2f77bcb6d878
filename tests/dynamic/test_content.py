"""What goes to a target and comes back, as scripts hold it."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.dynamic.content import (
    Audio,
    Content,
    Image,
    content_factory,
    get_content,
    get_content_type,
    process_target_content,
)


@pytest.mark.parametrize(
    ("kind", "expected"), [("text", "QUJD"), ("audio", Audio("QUJD")), ("image", Image("QUJD"))]
)
def test_content_of_each_kind_keeps_its_data_and_knows_its_kind(kind: str, expected: Content) -> None:
    made = content_factory("QUJD", kind)
    assert made == expected
    assert (get_content_type(made), get_content(made), str(made)) == (kind, "QUJD", "QUJD")


def test_the_same_data_as_another_kind_is_something_else() -> None:
    assert len({Audio("QUJD"), Image("QUJD"), "QUJD", Audio("QUJD")}) == 3


def test_the_format_of_audio_is_kept() -> None:
    assert Audio("QUJD", "wav").audio_format == "wav"
    assert Audio("QUJD").audio_format is None


def test_an_unknown_kind_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'smell'; valid: text, audio, image"):
        content_factory("x", "smell")


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        ("yes", "yes"),
        (("yes", {"tokens": 3}), "yes"),
        (["yes", None], "yes"),
        ((True, None), "True"),
        ((None, {}), ""),
        (None, ""),
        ((), ""),
        (Audio("QUJD"), "QUJD"),
    ],
)
def test_the_answer_is_text_whatever_a_target_returned(returned: Any, text: str) -> None:
    assert process_target_content(returned) == text
