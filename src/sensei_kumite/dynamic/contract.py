"""What a dynamic attack script derives from and returns; scripts written for spikee 0.9 find the same names.

The contract is that of the page "Writing Dynamic Attack Scripts" of the spikee documentation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sensei_kumite.dynamic.content import Content
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.targets.script_names import EntryType as EntryType
from sensei_kumite.targets.script_names import ModuleTag as ModuleTag
from sensei_kumite.targets.script_names import Turn as Turn


@dataclass(slots=True)
class AttackAttempt:
    """One try of a search. `success` None means that nobody judged the response.

    `attempts` is how many iterations this record stands for, never a running number; `input` is what was
    sent, or the mapping that `standardised_input_return` makes; `response_time` in seconds.
    """

    input: Content | dict[str, Any]
    response: Content
    success: bool | None
    attempts: int = 1
    error: str | None = None
    response_time: float | None = None
    guardrail: bool | None = None
    guardrail_categories: dict[str, Any] | None = None


ModuleDescriptionHint = tuple[list[ModuleTag], str]
ModuleOptionsHint = tuple[list[str], bool]
TargetResponseHint = Content | bool | tuple[Content | bool, Any]
AttackResponseHint = tuple[int, bool, Content | dict[str, Any], Content] | list[AttackAttempt]


class AdvancedTargetWrapper(ABC):
    """The target as a script is given it: retries, throttling, timeout and rate limit are inside.

    Scripts name the first parameter `input` or `input_text`.
    """

    @property
    @abstractmethod
    def config(self) -> dict[str, Any]:
        """What the target can do: `single-turn`, `multi-turn` and `backtrack`, each true or false."""

    @abstractmethod
    def get_target(self) -> Any:
        """The target that is wrapped; it has a `config`, too."""

    @abstractmethod
    def process_input(self, *args: Any, **kwargs: Any) -> tuple[Content, dict[str, Any]]:
        """Send `input` and wait: the response, and what else there is to say of it.

        Takes `system_message`, `logprobs`, `input_id`, `output_file`, `spikee_session_id` (one conversation;
        without one, every call is a fresh one) and `backtrack` (take the last exchange back first).
        """


class Module:
    """What can say of itself what it does and which options it takes."""

    def get_description(self) -> ModuleDescriptionHint:
        """Tags, and what it does in a sentence."""
        return [], ""

    def get_available_option_values(self) -> ModuleOptionsHint:
        """The options as `key=value`, the default first; and whether a model is needed."""
        return [], False


class Attack(Module, ABC):
    """A dynamic attack: a search for an input that the target does not resist.

    One instance serves one search. `turn_type` says whether it needs a conversation.
    """

    def __init__(self, turn_type: Turn = Turn.SINGLE) -> None:
        self.turn_type = turn_type

    @staticmethod
    def standardised_input_return(
        input: Content,  # the contract's
        conversation: StandardisedConversation | None = None,
        objective: Content | None = None,
        attempt_history: list[dict[str, Any]] | None = None,
    ) -> dict[str, Any]:
        """What an attack returns as its input when there is more to say of it than a text.

        The conversation is copied: what happens to it later does not change what is returned here.
        """
        given: dict[str, Any] = {"input": input}
        if conversation is not None:
            given["conversation"] = str(conversation)
        if objective is not None:
            given["objective"] = objective
        if attempt_history is not None:
            given["attempt_history"] = list(attempt_history)
        return given

    @abstractmethod
    def attack(
        self,
        entry: dict[str, Any],
        target_module: Any,
        call_judge: Callable[..., bool],
        max_iterations: int,
        attempts_bar: Any = None,
        bar_lock: Any = None,
        attack_options: str | None = None,
    ) -> AttackResponseHint:
        """Try at most `max_iterations` inputs; `(iterations, success, input, response)` of the deciding one.

        An attack that also declares `return_all_attempts` returns a list of AttackAttempt where that is
        true. One that declares `context` is given a `sensei_kumite.dynamic.search.SearchContext`.
        """
