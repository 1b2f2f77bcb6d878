"""What the offline provider writes for a generation model: attacks, and variables of custom ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import NamedTuple

from sensei_kumite.llm.requests import Request
from sensei_kumite.text import excerpt
from sensei_kumite.yaml_reader import parse_yaml

_SENTENCE_END = re.compile(r"(?<=[.!?])\s|\n")
_REQUEST_TO_WRITE = re.compile(
    r"(?:please )?(?:write|generate|create|produce|compose|invent|make up|make|give|suggest|come up with)"
    r"(?: me| us)? ",
    re.IGNORECASE,
)
_LONGEST_PHRASE = 120


def write_attack(request: Request, random: Random) -> str:
    """An attack for the facts `attack`, `attempt` (from 1) and `target_context`; by `instruction` instead
    where that is the user's own, or the attack is none of ours."""
    facts = request.facts
    parts = _bank().attacks.get(str(facts.get("attack")))
    instruction = str(facts.get("instruction") or "")
    if parts is None or instruction:
        return _by_instruction(instruction, int(facts.get("attempt", 1)) - 1, random)
    words = {"{context}": _phrase(str(facts.get("target_context") or "")) or "one subject only"}
    return compose(parts, int(facts.get("attempt", 1)) - 1, random=random, words=words)


def write_variable(request: Request, random: Random) -> str:
    """Sentences built from the fact `instruction`."""
    return _by_instruction(str(request.facts.get("instruction") or ""), random.randrange(1000), random)


def compose(parts: Sequence[Sequence[str]], turn: int, *, random: Random, words: Mapping[str, str]) -> str:
    """One text of each list, by `turn` (from 0), the last by chance; with `words` in their places."""
    *in_turn, by_chance = parts
    chosen = [texts[turn % len(texts)] for texts in in_turn]
    text = " ".join([*chosen, random.choice(by_chance)])
    for place, word in words.items():
        text = text.replace(place, word)
    return text


def _by_instruction(instruction: str, turn: int, random: Random) -> str:
    topic = _phrase(_REQUEST_TO_WRITE.sub("", instruction.strip(), count=1)) or "something that matters to me"
    return compose(_bank().by_instruction, turn, random=random, words={"{topic}": topic})


def _phrase(text: str) -> str:
    """The first sentence of `text`, fit to stand inside another one."""
    sentence = _SENTENCE_END.split(text.strip(), maxsplit=1)[0].rstrip(".!?: ")
    return excerpt(sentence, _LONGEST_PHRASE)


class _Bank(NamedTuple):
    """The contents of resources/offline_attacks.yml."""

    attacks: Mapping[str, Sequence[Sequence[str]]]
    by_instruction: Sequence[Sequence[str]]


@cache
def _bank() -> _Bank:
    resource = files("sensei_kumite") / "resources" / "offline_attacks.yml"
    return _Bank(**parse_yaml(resource.read_text(encoding="utf-8"), Path("offline_attacks.yml")).data)
