"""`best_of_n`: the same request again and again, each time with other small damage to its letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import ClassVar

from pydantic import Field

from sensei_kumite.config.fields import Number
from sensei_kumite.dynamic.contract import ModuleTag
from sensei_kumite.dynamic.payload import Carrier
from sensei_kumite.dynamic.prompt_search import PromptSearch
from sensei_kumite.dynamic.search import DYNAMIC_ATTACKS, SearchContext, SearchOptions

_WORD = re.compile(r"\S{4,}")
_FIRST, _LAST = 32, 126  # printable ASCII


class BestOfNOptions(SearchOptions):
    """How much is changed. The paper derives all three from a strength s of 0.4: √s, √s and s³."""

    scramble: Number = Field(
        0.63,
        ge=0,
        le=1,
        description="Probability that the inner letters of a word of four or more are shuffled.",
    )
    capitalize: Number = Field(0.63, ge=0, le=1, description="Probability that a letter changes its case.")
    noise: Number = Field(
        0.064,
        ge=0,
        le=1,
        description="Probability that a printable ASCII character becomes the one before or after it.",
    )


@DYNAMIC_ATTACKS.register("best_of_n")
class BestOfN(PromptSearch[BestOfNOptions]):
    """Succeeds when one of many damaged spellings of the request gets through."""

    description = "Shuffles, re-capitalises and mistypes the letters of the request, anew in every try."
    tags = (ModuleTag.SINGLE, ModuleTag.OBFUSCATION)
    source = "Hughes et al., Best-of-N Jailbreaking, 2024, arXiv:2412.03556"
    Options: ClassVar = BestOfNOptions

    def candidates(self, carrier: Carrier, options: BestOfNOptions, context: SearchContext) -> Iterator[str]:
        """Damage without end, each drawn independently of the others."""
        while True:
            yield carrier.changed(lambda text: damage(text, options, context.random))


def damage(text: str, options: BestOfNOptions, random: Random) -> str:
    """`text` with words scrambled, then letters in the other case, then characters mistyped."""
    scrambled = _WORD.sub(lambda word: _scramble(word[0], options.scramble, random), text)
    swapped = (
        letter.swapcase() if letter.isalpha() and random.random() < options.capitalize else letter
        for letter in scrambled
    )
    return "".join(_mistype(letter, options.noise, random) for letter in swapped)


def _scramble(word: str, probability: float, random: Random) -> str:
    if random.random() >= probability:
        return word
    inner = word[1:-1]
    return word[0] + "".join(random.sample(inner, len(inner))) + word[-1]


def _mistype(letter: str, probability: float, random: Random) -> str:
    """A neighbour of `letter` in ASCII; `letter` itself where that would be no printable character."""
    if not letter.isascii() or not letter.isprintable() or random.random() >= probability:
        return letter
    code = ord(letter) + random.choice((-1, 1))
    return chr(code) if _FIRST <= code <= _LAST else letter
