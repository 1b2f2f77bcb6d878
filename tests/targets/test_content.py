"""The text of a message: plain, in parts, or a refusal."""

from __future__ import annotations

from typing import Any

import pytest

from sensei_kumite.targets.content import text_of

TEXT, REFUSAL, IMAGE = {"text": "a"}, {"refusal": "no"}, {"type": "image_url", "image_url": {"url": "x"}}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hi", "hi"),
        (None, None),
        ([], ""),
        ([TEXT, IMAGE, {"text": "b"}], "ab"),
        ([TEXT, "b", 7, None], "ab"),
        ([REFUSAL], "no"),
        ([REFUSAL, TEXT], "a"),
        ([{"text": None}, {"text": ["a"]}, REFUSAL], "no"),
    ],
)
def test_the_text_is_found(content: Any, text: Any) -> None:
    assert text_of(content) == text
