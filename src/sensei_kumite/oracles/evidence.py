"""How evidence quotes a response: its own words, but not pages of them."""

from __future__ import annotations


def shorten(text: str, limit: int = 200) -> str:
    """`text` as it is, cut to `limit` characters with an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
