"""Field types that several oracles share, beyond those of every configuration."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from sensei_kumite.config.fields import Text


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty; write the text to look for, or remove it")
    return text


FilledText = Annotated[Text, AfterValidator(_filled)]
