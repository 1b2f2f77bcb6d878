"""`tap`: a tree of prompts, in which the poor ones are cut off before and after the target has seen them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from sensei_kumite.config.fields import Flag, Integer
from sensei_kumite.dynamic.attacker import Attacker
from sensei_kumite.dynamic.contract import ModuleTag, Turn
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.dialogues import Dialogues
from sensei_kumite.dynamic.payload import read_carrier
from sensei_kumite.dynamic.refinement import Rated, Refiner
from sensei_kumite.dynamic.search import DYNAMIC_ATTACKS, Search, SearchContext, SearchOptions, Tries


class TapOptions(SearchOptions):
    """The shape of the tree."""

    branching_factor: Integer = Field(3, ge=1, le=20, description="Refinements that are written of a prompt.")
    width: Integer = Field(4, ge=1, le=100, description="Prompts that are kept of a level, the best ones.")
    depth: Integer = Field(5, ge=1, le=100, description="Levels of a tree; after the last, another begins.")
    prune_off_topic: Flag = Field(
        True,
        description="Whether prompts that no longer ask for the objective are not sent at all.",
    )


@dataclass(frozen=True, slots=True)
class _Prompt:
    """A prompt that was tried: where it is in the graph, and the way to it, itself included.

    `asked` is its message, below `place` its refinements hang; `start` is where rules begin.
    """

    asked: int
    place: int
    way: tuple[Rated, ...]
    start: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A prompt that is to be tried as a refinement of `parent`."""

    parent: _Prompt
    prompt: str
    start: int
    notes: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Tree:
    """A search by levels."""

    refiner: Refiner
    dialogues: Dialogues
    options: TapOptions

    def grow(self, start: int) -> None:
        """Go down level by level, until a try succeeds or there may be no more."""
        level: Sequence[_Prompt] = [_Prompt(0, self.dialogues.graph.get_root_id(), (), start)]
        for depth in range(1, self.options.depth + 1):
            level = self._best(list(self._tried(level, depth)))
            if not level or self._is_over():
                return

    def _is_over(self) -> bool:
        return self.dialogues.tries.succeeded or not self.dialogues.tries.left

    def _tried(self, level: Sequence[_Prompt], depth: int) -> Iterator[_Prompt]:
        """The refinements of a level that the target has answered."""
        sent = 0
        last = (level[-1], self.options.branching_factor - 1)
        for parent in level:
            siblings: list[str] = []
            for branch in range(self.options.branching_factor):
                if self._is_over():
                    return
                candidate = self._candidate(parent, branch, siblings, depth)
                siblings.append(candidate.prompt)
                is_last_hope = not sent and (parent, branch) == last  # a tree without any would never end
                if is_last_hope or self._is_on_topic(candidate):
                    sent += 1
                    yield from self._try(candidate)

    def _candidate(self, parent: _Prompt, branch: int, siblings: Sequence[str], depth: int) -> _Candidate:
        start = parent.start + branch
        move = self.refiner.refine(parent.way, siblings=siblings, start=start)
        return _Candidate(parent, move.form.prompt, start, {"depth": depth, **move.notes})

    def _is_on_topic(self, candidate: _Candidate) -> bool:
        if not self.options.prune_off_topic or self.refiner.is_on_topic(candidate.prompt):
            return True
        self.dialogues.keep(
            self.refiner.carrier.carry(candidate.prompt),
            {"pruned": "off-topic", **candidate.notes},
            below=candidate.parent.place,
        )
        return False

    def _try(self, candidate: _Candidate) -> Iterator[_Prompt]:
        """The prompt with its score, where the target answered and resisted."""
        text = self.refiner.carrier.carry(candidate.prompt)
        exchange = self.dialogues.once(text, candidate.notes, below=candidate.parent.place)
        if exchange.answered is None or exchange.attempt.success:
            return
        score = self.refiner.rate(candidate.prompt, exchange.response)
        self.dialogues.note(exchange.answered, score=score)
        way = (*candidate.parent.way, Rated(candidate.prompt, exchange.response, score))
        yield _Prompt(exchange.asked, exchange.answered, way, candidate.start)

    def _best(self, tried: Sequence[_Prompt]) -> list[_Prompt]:
        """As many as the tree is wide, those that went farthest; of equal ones the earlier."""
        ordered = sorted(tried, key=lambda one: one.way[-1].score, reverse=True)
        for pruned in ordered[self.options.width :]:
            self.dialogues.note(pruned.asked, pruned="score")
        return ordered[: self.options.width]


@DYNAMIC_ATTACKS.register("tap")
class Tap(Search[TapOptions]):
    """Succeeds where a branch of the tree comes to a wording that the target gives in to."""

    description = "Refines prompts as a tree, and prunes what is off topic or brings the target no further."
    tags = (ModuleTag.LLM, ModuleTag.ATTACK_BASED)
    source = (
        "Mehrotra, Zampetakis, Kassianik, Nelson, Anderson, Singer and Karbasi, Tree of Attacks: "
        "Jailbreaking Black-Box LLMs Automatically, 2023, arXiv:2312.02119"
    )
    turns = Turn.MULTI
    needs_generation = True
    model_calls = 6
    Options: ClassVar = TapOptions

    def run(
        self, entry: dict[str, Any], tries: Tries, options: TapOptions, context: SearchContext
    ) -> StandardisedConversation:
        """One tree after the other, as long as there are tries; every try is a conversation of its own."""
        carrier = read_carrier(entry)
        tree = _Tree(Refiner("tap", Attacker(carrier.payload, context), carrier), Dialogues(tries), options)
        start = 0
        while tries.left and not tries.succeeded:
            tree.grow(start)
            start += options.branching_factor
        return tree.dialogues.graph
