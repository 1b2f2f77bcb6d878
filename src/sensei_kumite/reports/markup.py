"""HTML elements as strings, with everything but elements escaped: no text can become markup by oversight."""

from __future__ import annotations

from html import escape

from sensei_kumite.text import visible

_VOID = frozenset({"br", "line", "rect"})


class Markup(str):
    """HTML that may stand in a page as it is."""

    __slots__ = ()


def element(tag: str, *content: str, **attributes: str | float | None) -> Markup:
    """`<tag>` around its content; a str is escaped, Markup is not.

    In names of attributes `_` stands for `-`, and a trailing one is dropped (`class_`); None leaves the
    attribute out. `tag` and the names are ours, never a text of others.
    """
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_safe(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    if tag in _VOID:
        return Markup(f"<{tag}{written}>" if tag == "br" else f"<{tag}{written}/>")
    return Markup(f"<{tag}{written}>{join(*content)}</{tag}>")


def join(*content: str) -> Markup:
    """The pieces one after the other; a str is escaped, Markup is not."""
    return Markup("".join(piece if isinstance(piece, Markup) else _safe(piece) for piece in content))


def _safe(text: str) -> str:
    """`text` for content and quoted attributes; what acts invisibly on the reader is written as escapes."""
    return escape(visible(text))
