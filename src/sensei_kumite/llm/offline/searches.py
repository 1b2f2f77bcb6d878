"""What the offline provider writes for dynamic attacks: each search that asks a model has a function here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from random import Random

from sensei_kumite.errors import ModelError
from sensei_kumite.llm.offline import conversations
from sensei_kumite.llm.offline.languages import framed
from sensei_kumite.llm.requests import Request

# A phrase begins behind a comma and the like, or with one of these words.
_SEAM = re.compile(
    r"(?<=[.,;:!?])\s+(?=\S)"
    r"|\s+(?=(?:and|or|but|that|which|who|how|why|when|where|what|if|to|of|for|from|in|on|at|by|with|without|"
    r"about|as|before|after|the|a|an|your|my|this|all)\b)",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s+(?=\S)")


def write_for_search(request: Request, random: Random) -> str:
    """The answer of the search that the fact `search` names; raises ModelError for one without rules."""
    search = str(request.facts.get("search"))
    rule = _RULES.get(search)
    if rule is None:
        raise ModelError(f"The offline provider has no rules for the search {search!r}.")
    return rule(request, random)


def divide(request: Request, random: Random) -> str:
    """The fact `text` in as many `parts`, fewer where it has fewer words, as a JSON list: cut where phrases
    meet, then between other words."""
    text = str(request.facts["text"]).strip()
    seams = [match.end() for match in _SEAM.finditer(text)]
    others = [match.end() for match in _SPACE.finditer(text) if match.end() not in seams]
    wanted = int(request.facts["parts"]) - 1
    places = random.sample(seams, min(wanted, len(seams)))
    places += random.sample(others, min(wanted - len(places), len(others)))
    parts = [text[start:end].strip() for start, end in pairwise([0, *sorted(places), len(text)])]
    return json.dumps(parts, ensure_ascii=False)


def translate(request: Request, random: Random) -> str:
    """The fact `text`, untranslated, in a sentence of `language` that asks to carry it out; empty for a
    language that is not in the bank."""
    sentences = framed(str(request.facts["text"]), str(request.facts["language"]))
    return random.choice(sentences) if sentences else ""


_RULES: Mapping[str, Callable[[Request, Random], str]] = {
    "multi_language": translate,
    "prompt_decomposition": divide,
    **conversations.RULES,
}
