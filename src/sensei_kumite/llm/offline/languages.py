"""Sentences in other languages around a request: what can be said in them without being able to translate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from sensei_kumite.yaml_reader import parse_yaml


def framed(request: str, language: str) -> list[str]:
    """`request` inside of each sentence in a language, by its English name; none for one unknown."""
    return [frame.replace("{request}", request) for frame in frames().get(language.strip().lower(), ())]


@cache
def frames() -> Mapping[str, Sequence[str]]:
    """The sentences of resources/languages.yml by the name of their language."""
    resource = files("sensei_kumite") / "resources" / "languages.yml"
    languages: Mapping[str, Sequence[str]] = parse_yaml(
        resource.read_text(encoding="utf-8"), Path("languages.yml")
    ).data
    return languages
