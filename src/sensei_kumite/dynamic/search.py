"""What the built-in searches have in common: options, what they may use, and trying inputs one by one."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

from sensei_kumite.config.fields import Block
from sensei_kumite.dynamic.contract import (
    Attack,
    AttackAttempt,
    AttackResponseHint,
    ModuleDescriptionHint,
    ModuleOptionsHint,
    ModuleTag,
    Turn,
)
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.objective import objective, plain_content
from sensei_kumite.dynamic.options import default_options, typed_options
from sensei_kumite.errors import KumiteError, TargetError
from sensei_kumite.llm.requests import Model
from sensei_kumite.registry import Registry


class SearchOptions(Block):
    """Base of every search's options: unknown keys are errors."""


O = TypeVar("O", bound=SearchOptions)  # noqa: E741  # as in the other registries


@dataclass(frozen=True, slots=True)
class SearchContext:
    """What a search may use beside the target.

    `random` depends on the run's seed and the case alone; `model` plays the generation role, None where the
    campaign allows none; `is_refusal` tells whether a text is a refusal; `target_context` is what the target
    is said to be for.
    """

    random: Random = field(default_factory=lambda: Random(0))
    model: Model | None = None
    is_refusal: Callable[[str], bool] = lambda _: False
    target_context: str = ""


class Tries:
    """Sends inputs to the target and has the answers judged, as many as the search may make.

    `history` holds every try, those that failed and those on branches that were given up included.
    """

    def __init__(
        self,
        entry: Mapping[str, Any],
        target_module: Any,
        call_judge: Callable[..., bool],
        max_iterations: int,
        *,
        bar: Any = None,
        lock: Any = None,
    ) -> None:
        self.history: list[AttackAttempt] = []
        self._entry = entry
        self._target = target_module
        self._judge = call_judge
        self._allowed = max_iterations
        self._bar = bar
        self._lock = lock if lock is not None else nullcontext()

    @property
    def left(self) -> int:
        """How many more tries there may be."""
        return self._allowed - len(self.history)

    @property
    def succeeded(self) -> bool:
        """Whether the latest try broke the target."""
        return bool(self.history and self.history[-1].success)

    @property
    def can_take_back(self) -> bool:
        """Whether the target can do as if its last exchange had not been."""
        told = getattr(self._target, "config", None)
        return not isinstance(told, Mapping) or bool(told.get("backtrack", True))

    def send(self, text: str, *, judged: bool = True, **how: Any) -> AttackAttempt:
        """Try `text`: what came of it. A target that fails is part of the record.

        `how` goes to `process_input`. What is not `judged` has the success None.
        """
        started = time.perf_counter()
        try:
            response, _ = self._target.process_input(text, self._entry.get("system_message"), **how)
        except TargetError as error:
            return self._keep(AttackAttempt(text, "", success=False, error=str(error)), started)
        success = self._judge(self._entry, response) if judged else None
        return self._keep(AttackAttempt(text, response, success), started)

    def fail(self, error: str) -> AttackAttempt:
        """Record a try that came to nothing before the target was asked; it counts as one."""
        return self._keep(AttackAttempt("", "", success=False, error=error), time.perf_counter())

    def _keep(self, attempt: AttackAttempt, started: float) -> AttackAttempt:
        attempt.response_time = time.perf_counter() - started
        self.history.append(attempt)
        if self._bar is not None:
            with self._lock:
                self._bar.update(1)
        return attempt


class Search(Attack, Generic[O]):
    """A built-in search: `description`, `tags`, `source` (the paper) and `Options` say what it is."""

    description: ClassVar[str] = ""
    tags: ClassVar[tuple[ModuleTag, ...]] = ()
    source: ClassVar[str] = ""
    turns: ClassVar[Turn] = Turn.SINGLE
    needs_generation: ClassVar[bool] = False
    model_calls: ClassVar[int] = 0  # at most, for one try
    plays_turns: ClassVar[bool] = False  # whether an entry may be a list of them
    Options: ClassVar[type[SearchOptions]] = SearchOptions

    def __init__(self) -> None:
        super().__init__(self.turns)

    def get_description(self) -> ModuleDescriptionHint:
        """Tags, and what the search does."""
        return list(self.tags), self.description

    def get_available_option_values(self) -> ModuleOptionsHint:
        """Each option with its default, and whether a model is needed."""
        options = default_options(self.Options)
        return [f"{name}={value}" for name, value in options.items()], self.needs_generation

    @classmethod
    def read_options(cls, text: str | None) -> SearchOptions:
        """The options in `key=value,…`; raises ValueError, or pydantic's ValidationError."""
        return cls.Options.model_validate(typed_options(text))

    def attack(
        self,
        entry: dict[str, Any],
        target_module: Any,
        call_judge: Callable[..., bool],
        max_iterations: int,
        attempts_bar: Any = None,
        bar_lock: Any = None,
        attack_options: str | None = None,
        *,
        return_all_attempts: bool = False,
        context: SearchContext | None = None,
    ) -> AttackResponseHint:
        """Search until a try succeeds or none is left; see `Attack.attack`."""
        tries = Tries(entry, target_module, call_judge, max_iterations, bar=attempts_bar, lock=bar_lock)
        options: Any = self.read_options(attack_options)
        conversation = self.run(entry, tries, options, context or SearchContext())
        if return_all_attempts:
            return _traced(entry, tries.history, conversation)
        return _representative(entry, tries.history, conversation)

    @abstractmethod
    def run(
        self, entry: dict[str, Any], tries: Tries, options: O, context: SearchContext
    ) -> StandardisedConversation | None:
        """Make tries until one succeeds or `tries.left` is 0; the conversation, where there is one."""


def _representative(
    entry: Mapping[str, Any], history: list[AttackAttempt], conversation: StandardisedConversation | None
) -> AttackResponseHint:
    """The deciding try: the one that succeeded, or the last.

    Raises KumiteError where the search says of an answered one that it came to no end.
    """
    decisive = history[-1] if history else _nothing(entry)
    if decisive.error and (decisive.response or not decisive.input):
        raise KumiteError(decisive.error)
    sent: Any = decisive.input
    if conversation is not None:
        sent = Attack.standardised_input_return(sent, conversation, objective(entry))
    return len(history), bool(decisive.success), sent, decisive.response


def _traced(
    entry: Mapping[str, Any], history: list[AttackAttempt], conversation: StandardisedConversation | None
) -> list[AttackAttempt]:
    """Every try, those of a conversation with what led to it; the last one with all of it."""
    if conversation is None or not history:
        return history or [_nothing(entry)]
    sent = [number for number, node in conversation.conversation.items() if node["attempt"]]
    for attempt, number in zip(history, sent, strict=False):
        shown = conversation if number == sent[-1] else _way_to(conversation, number)
        attempt.input = Attack.standardised_input_return(str(attempt.input), shown, objective(entry))
    return history


def _way_to(conversation: StandardisedConversation, number: int) -> StandardisedConversation:
    """The messages that led to this one, and the answer to it."""
    answer = conversation.conversation[number]["children"][:1]
    kept = [*conversation.get_path(number, root=True), *answer]
    part = StandardisedConversation()
    part.conversation = {
        message: {**node, "children": [child for child in node["children"] if child in kept]}
        for message, node in ((message, conversation.conversation[message]) for message in kept)
    }
    return part


def _nothing(entry: Mapping[str, Any]) -> AttackAttempt:
    return AttackAttempt(plain_content(entry), "", success=False, attempts=0)


DYNAMIC_ATTACKS: Registry[type[Attack]] = Registry("dynamic attack", "sensei_kumite.dynamic")
