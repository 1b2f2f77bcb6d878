"""How the offline provider rephrases: word by word, until the wording is as far away as it should be.

Words of the bank are exchanged for words near them; where these do not suffice, others get two of their
inner letters swapped, which people and models still read; what is left is the small change of the language.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from random import Random

import regex

from sensei_kumite.llm.requests import Request
from sensei_kumite.llm.wording import WORD, lexical_distance
from sensei_kumite.yaml_reader import parse_yaml

_SHORTEST_SCRAMBLED = 4

Exchanges = Mapping[str, Sequence[str]]


def rephrase(request: Request, random: Random) -> str:
    """As many wordings as the fact `candidates` says, as a JSON list: the fact `text`, `distance` away, with
    the fragments `protected` as they are."""
    facts = request.facts
    protected = tuple(facts.get("protected", ()))
    wordings = [
        substitute(str(facts["text"]), float(facts["distance"]), protected, random=random)
        for _ in range(int(facts.get("candidates", 1)))
    ]
    return json.dumps(wordings, ensure_ascii=False)


def substitute(text: str, distance: float, protected: Sequence[str], *, random: Random) -> str:
    """`text` with as many words exchanged, but one at least, as bring it nearest to `distance`.

    The more are exchanged the farther it is, or nearly so where words are repeated: the number is found by
    bisection.
    """
    pieces, places = _split(text, protected)
    exchanges = list(_exchanges(pieces, places, random))

    def wording(count: int) -> str:
        exchanged = dict(exchanges[:count])
        return "".join(exchanged.get(place, piece) for place, piece in enumerate(pieces))

    def distance_of(count: int) -> float:
        return lexical_distance(text, wording(count), protected)

    counts = range(1, len(exchanges) + 1)
    reaching = bisect_left(counts, distance, key=distance_of)
    nearest = counts[max(0, reaching - 1) : reaching + 1]
    return wording(min(nearest, key=lambda count: abs(distance_of(count) - distance), default=0))


def _split(text: str, protected: Sequence[str]) -> tuple[list[str], list[int]]:
    """The words of a text and what is between them, and the places of the words that may be exchanged."""
    fragments = sorted(filter(None, protected), key=len, reverse=True)
    kept = regex.compile(f"({'|'.join(map(regex.escape, fragments))})") if fragments else None
    pieces: list[str] = []
    places: list[int] = []
    for number, segment in enumerate(kept.split(text) if kept else [text]):
        if number % 2:
            pieces.append(segment)
            continue
        for part in regex.split(f"({WORD.pattern})", segment):
            if WORD.fullmatch(part):
                places.append(len(pieces))
            pieces.append(part)
    return pieces, places


def _exchanges(pieces: Sequence[str], places: Sequence[int], random: Random) -> Iterator[tuple[int, str]]:
    """Places with the words to put there, those first that leave the sense closest."""
    present = {pieces[place].lower() for place in places}
    done: set[int] = set()
    bank = _bank()
    ways = (bank["words"], bank["small_words"], None, bank["last_words"])
    for exchanges in ways:
        for place in random.sample(places, len(places)):
            if place in done:
                continue
            word = pieces[place]
            options = _scrambled(word) if exchanges is None else _near(word, exchanges, present)
            if options:
                done.add(place)
                yield place, _cased(random.choice(options), word)


def _near(word: str, exchanges: Exchanges, present: set[str]) -> list[str]:
    """The words for which `word` may be exchanged, without those that the text holds already."""
    return [other for other in exchanges.get(word.lower(), ()) if other not in present]


def _scrambled(word: str) -> list[str]:
    """`word` with two neighbouring letters swapped, its first and last in their places."""
    if len(word) < _SHORTEST_SCRAMBLED or not word.isalpha():
        return []
    return [
        word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        for at in range(1, len(word) - 2)
        if word[at].lower() != word[at + 1].lower()
    ]


def _cased(word: str, model: str) -> str:
    """`word` in the case of `model`."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


@cache
def _bank() -> Mapping[str, Exchanges]:
    """The exchanges of resources/offline_rephrasing.yml, each kind by its name."""
    resource = files("sensei_kumite") / "resources" / "offline_rephrasing.yml"
    data = parse_yaml(resource.read_text(encoding="utf-8"), Path("offline_rephrasing.yml")).data
    return {kind: _by_word(groups) for kind, groups in data.items()}


def _by_word(groups: Sequence[Sequence[str]]) -> Exchanges:
    exchanges: dict[str, list[str]] = {}
    for group in groups:
        for word in group:
            exchanges.setdefault(word, []).extend(other for other in group if other != word)
    return exchanges
