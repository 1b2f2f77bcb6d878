"""How responses name leaked instructions: reads resources/leakage_patterns.yml and searches with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import yaml

from sensei_kumite.oracles.spans import Span, is_inside
from sensei_kumite.text import normalize

_PLACEHOLDER = re.compile(r"<(\w+)>")
_GAP = r"[\s*_'\"-]+"


@dataclass(frozen=True, slots=True)
class LeakagePatterns:
    """`leaks` by name; a match inside a match of `harmless` gives nothing away."""

    leaks: Mapping[str, re.Pattern[str]]
    harmless: re.Pattern[str]


def find_leaks(response: str) -> Iterator[tuple[str, Span]]:
    """The names of leaked things in `response`, each with where it stands."""
    patterns = builtin_patterns()
    shape = normalize(response, fold_case=True)
    harmless = [match.span() for match in patterns.harmless.finditer(shape.text)]
    for name, pattern in patterns.leaks.items():
        for match in pattern.finditer(shape.text):
            if not is_inside(match.span(), harmless):
                yield name, (shape.origins[match.start()], shape.origins[match.end()])


@lru_cache(maxsize=1)
def builtin_patterns() -> LeakagePatterns:
    """The patterns of the package."""
    resource = files("sensei_kumite") / "resources" / "leakage_patterns.yml"
    document = yaml.safe_load(resource.read_text("utf-8"))
    words: dict[str, str] = {}
    for name, expression in document["words"].items():
        words[name] = _expand(expression, words)
    leaks = {name: _compile(expressions, words) for name, expressions in document["leaks"].items()}
    return LeakagePatterns(leaks, _compile(document["harmless"], words))


def _expand(expression: str, words: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: f"(?:{words[match[1]]})", expression)


def _compile(expressions: Sequence[str], words: Mapping[str, str]) -> re.Pattern[str]:
    """One pattern that matches any of the expressions as whole words."""
    union = "|".join(_expand(expression, words).replace(" ", _GAP) for expression in expressions)
    return re.compile(rf"(?<![^\W_])(?:{union})(?![^\W_])")
