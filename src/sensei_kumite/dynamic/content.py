"""What is sent to a target and comes back: text, or the sound and pictures that scripts may hold."""

from __future__ import annotations

from typing import Any


class _Encoded:
    """Base64 data of one kind."""

    def __init__(self, content: str) -> None:
        self.content = content

    def __str__(self) -> str:
        return self.content

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.content == str(other)

    def __hash__(self) -> int:
        return hash((type(self), self.content))


class Audio(_Encoded):
    """Sound as Base64; `audio_format` such as `wav`, None where it is not known."""

    def __init__(self, content: str, audio_format: str | None = None) -> None:
        super().__init__(content)
        self.audio_format = audio_format


class Image(_Encoded):
    """A picture as Base64."""


Content = str | Audio | Image
_KINDS: dict[str, type[Any]] = {"text": str, "audio": Audio, "image": Image}


def content_factory(content: str | Content, content_type: str = "text") -> Content:
    """`content` as the kind that `content_type` names: text, audio or image; raises ValueError for others."""
    if content_type not in _KINDS:
        raise ValueError(f"unknown content type {content_type!r}; valid: {', '.join(_KINDS)}")
    made: Content = _KINDS[content_type](str(content))
    return made


def get_content(content: Content) -> str:
    """The text, or the Base64 data of what is none."""
    return str(content)


def get_content_type(content: Content) -> str:
    """text, audio or image."""
    return next((name for name, kind in _KINDS.items() if isinstance(content, kind)), "text")


def process_target_content(response: Any) -> str:
    """The answer in what a target returned: the first of a pair, always text."""
    if isinstance(response, (tuple, list)):
        response = response[0] if response else ""
    return "" if response is None else str(response)
