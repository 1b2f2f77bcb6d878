"""Writing YAML of any length with libyaml's emitter: plain data in, text out, nothing of it held.

Every text is written so that YAML 1.1 and 1.2 readers give back the same text. What is decided here is
only the style of a scalar; where syntax forbids that style, libyaml falls back to a quoted one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from math import isfinite, isnan
from pathlib import Path
from typing import IO, Any

import yaml

from sensei_kumite.errors import EnvironmentProblem
from sensei_kumite.files import write_atomically
from sensei_kumite.text import replace_surrogates

Emit = Callable[[yaml.Event], None]

_WIDTH = 100
# Numbers, dates, times and special keys by their first character; booleans of every dialect by word.
_LOOKS_TYPED = re.compile(r"\Z|[-+.0-9~<=]|(?:y|n|yes|no|on|off|true|false|null)\Z", re.IGNORECASE).match
# Line breaks to YAML 1.1, ordinary characters to YAML 1.2: both read the escape alike.
_DISPUTED_BREAK = re.compile("[\u2028\u2029]").search

_TEXT_OR_QUOTED = (True, True)
_QUOTED = (False, True)
_START_MAPPING = yaml.MappingStartEvent(None, None, True, flow_style=False)
_START_SEQUENCE = yaml.SequenceStartEvent(None, None, True, flow_style=False)
_START_EMPTY_MAPPING = yaml.MappingStartEvent(None, None, True, flow_style=True)
_START_EMPTY_SEQUENCE = yaml.SequenceStartEvent(None, None, True, flow_style=True)
_END_MAPPING = yaml.MappingEndEvent()
_END_SEQUENCE = yaml.SequenceEndEvent()


def write_yaml(path: Path, documents: Iterable[Mapping[str, Any]]) -> None:
    """Write `documents` to the file at `path`, all or nothing; raises EnvironmentProblem naming the file."""
    try:
        with write_atomically(path) as stream:
            write_documents(stream, documents)
    except OSError as error:
        raise EnvironmentProblem(f"The report {path} cannot be written: {error.strerror}.") from None


def write_documents(stream: IO[str], documents: Iterable[Mapping[str, Any]]) -> None:
    """Write plain data (what JSON can hold) as a stream of YAML documents.

    An iterator is written as a list, item by item. Lone surrogates become U+FFFD.
    """
    dumper = yaml.CSafeDumper(stream, allow_unicode=True, width=_WIDTH)
    try:
        dumper.open()
        for number, document in enumerate(documents):
            dumper.emit(yaml.DocumentStartEvent(explicit=number > 0))
            _emit(dumper.emit, document)
            dumper.emit(yaml.DocumentEndEvent())
        dumper.close()
    finally:
        dumper.dispose()


def _emit(emit: Emit, value: Any) -> None:
    if isinstance(value, str):
        emit(_text(value))
    elif value is None or isinstance(value, (int, float)):
        emit(yaml.ScalarEvent(None, None, _TEXT_OR_QUOTED, _atom(value)))
    elif isinstance(value, Mapping):
        emit(_START_MAPPING if value else _START_EMPTY_MAPPING)
        for key, item in value.items():
            emit(_key(key))
            _emit(emit, item)
        emit(_END_MAPPING)
    elif isinstance(value, (list, tuple, Iterator)):
        _emit_sequence(emit, iter(value))
    else:
        raise TypeError(f"{type(value).__name__} is not plain data")


def _emit_sequence(emit: Emit, items: Iterator[Any]) -> None:
    first = next(items, items)
    if first is items:
        emit(_START_EMPTY_SEQUENCE)
    else:
        emit(_START_SEQUENCE)
        for item in chain([first], items):
            _emit(emit, item)
    emit(_END_SEQUENCE)


def _text(value: str) -> yaml.ScalarEvent:
    """A text: a block where it has several lines, plain where it cannot be taken for anything else."""
    text = value
    if not value.isascii():
        text = replace_surrogates(value)
        if _DISPUTED_BREAK(text):
            return yaml.ScalarEvent(None, None, _QUOTED, text, style='"')
    if "\n" in text:
        return yaml.ScalarEvent(None, None, _QUOTED, text, style="|")
    return yaml.ScalarEvent(None, None, _QUOTED if _LOOKS_TYPED(text) else _TEXT_OR_QUOTED, text)


@lru_cache(maxsize=512)
def _key(key: str) -> yaml.ScalarEvent:
    """A mapping's key: as a text, but never over several lines."""
    event = _text(key)
    return yaml.ScalarEvent(None, None, event.implicit, event.value, style='"' if event.style else None)


def _atom(value: float | None) -> str:
    """How YAML 1.1 and 1.2 both write null, booleans and numbers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return int.__repr__(value)
    if not isfinite(value):
        return ".nan" if isnan(value) else ".inf" if value > 0 else "-.inf"
    text = float.__repr__(value)
    # Without a point, YAML 1.1 takes 1e-05 for a text.
    return text if "." in text else text.replace("e", ".0e")
