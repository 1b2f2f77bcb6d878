"""The offline simulated user: ordinary questions about what its role and context mention, in its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import NamedTuple

from sensei_kumite.llm.requests import Request
from sensei_kumite.yaml_reader import parse_yaml

_MOST_TOPICS = 4
_WORD = re.compile(r"[^\W\d_]{4,}")


def user_turn(request: Request, random: Random) -> str:
    """The message of this turn: another one in each turn, as long as there are. It heeds nobody's words."""
    facts = request.facts
    phrases = _bank().phrases_in(facts["language"])
    turn: int = facts["turn"]
    topics = _topics(facts["role"], facts["context"]) or [phrases.anything]
    openings, questions = (
        _shuffled(templates, random) for templates in (phrases.openings, phrases.questions)
    )
    template = openings[0] if turn == 1 else questions[(turn - 2) % len(questions)]
    return template.replace("{topic}", topics[(turn - 1) % len(topics)])


def _topics(role: str, context: str) -> list[str]:
    """The first words that say what a person is after; how the person behaves is no topic."""
    bank = _bank()
    words = [word for word in _WORD.findall(role) if word.lower() not in bank.small_words]
    words += [word for word in _WORD.findall(context) if word.lower() not in bank.small_words | bank.manners]
    return list(dict.fromkeys(words))[:_MOST_TOPICS]


def _shuffled(templates: Sequence[str], random: Random) -> list[str]:
    return random.sample(templates, len(templates))


class _Phrases(NamedTuple):
    """What is said in one language; `anything` is a topic for whoever has none."""

    anything: str
    openings: Sequence[str]
    questions: Sequence[str]


class _Bank(NamedTuple):
    """The contents of resources/offline_user.yml. `languages` maps each name of a language to its phrases;
    `manners` are the words of the built-in personalities."""

    languages: Mapping[str, _Phrases]
    small_words: frozenset[str]
    manners: frozenset[str]

    def phrases_in(self, language: str) -> _Phrases:
        """Those of the first language that `language` names, else the first there is."""
        named = (self.languages[word] for word in _words(language) if word in self.languages)
        return next(named, next(iter(self.languages.values())))


def _words(text: str) -> Iterable[str]:
    return re.findall(r"\w+", text.lower())


@cache
def _bank() -> _Bank:
    resources = files("sensei_kumite") / "resources"
    text = (resources / "offline_user.yml").read_text(encoding="utf-8")
    data = parse_yaml(text, Path("offline_user.yml")).data
    languages: dict[str, _Phrases] = {}
    for entry in data["languages"].values():
        phrases = _Phrases(entry["anything"], entry["openings"], entry["questions"])
        languages |= dict.fromkeys(entry["names"], phrases)
    manners = {
        word
        for personality in (resources / "personalities").iterdir()
        for word in _words(personality.read_text(encoding="utf-8"))
    }
    return _Bank(languages, frozenset(data["small_words"]), frozenset(manners))
