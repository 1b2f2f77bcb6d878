"""What the Python files of other tools import from spikee, in our own words: enums, exceptions, targets.

The contract is that of the pages "Creating Custom Targets" and "Writing Dynamic Attack Scripts" of the
spikee documentation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, MutableMapping, Sequence
from enum import Enum
from types import ModuleType
from typing import Any

from sensei_kumite.targets.python_file import packages


class Turn(Enum):
    """Whether an attack needs a conversation, or a target holds one."""

    SINGLE = "single-turn"
    MULTI = "multi-turn"


class EntryType(Enum):
    """What kind of dataset entry an attack is made for."""

    DOCUMENT = "document"
    SUMMARY = "summarization"
    QA = "qna"
    ATTACK = "attack"


class ModuleTag(Enum):
    """Words that a description is filed under."""

    MULTI = "Multi-Turn"
    SINGLE = "Single-Turn"
    LLM = "LLM"
    LLM_TTS = "LLM-TTS"
    LLM_STT = "LLM-STT"
    LLM_STS = "LLM-STS"
    ML = "ML"
    ATTACK_BASED = "Attack-Based"
    ENCODING = "Encoding"
    FORMATTING = "Formatting"
    OBFUSCATION = "Obfuscation"
    SOCIAL_ENGINEERING = "Social Engineering"
    TRANSLATION = "Translation"
    IMAGE = "Image"
    AUDIO = "Audio"


class GuardrailTrigger(Exception):
    """A guardrail of the target blocked the input; `categories` say why, where it tells."""

    def __init__(self, message: str = "", categories: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.categories = categories or {}


class RetryableError(Exception):
    """The call may succeed later: after `retry_period` seconds, where that is known."""

    def __init__(self, message: str = "", retry_period: float | None = None) -> None:
        super().__init__(message)
        self.retry_period = retry_period


class MultiTurnSkip(Exception):
    """The entry cannot be tried in this conversation."""


class Target(ABC):
    """A target in one file. `config` says whether it takes single inputs, conversations, and steps back."""

    def __init__(self, turn_types: Sequence[Turn] | None = None, backtrack: bool = False) -> None:
        kinds = [Turn.SINGLE] if turn_types is None else turn_types
        self.config: dict[str, bool] = {turn.value: turn in kinds for turn in Turn}
        self.config["backtrack"] = backtrack

    def get_description(self) -> tuple[list[ModuleTag], str]:
        """Tags, and what the target is in a sentence."""
        return [], ""

    def get_available_option_values(self) -> tuple[list[str], bool]:
        """The options as `key=value`, the default first; and whether a model is needed."""
        return [], False

    @abstractmethod
    def process_input(
        self, input_text: str, system_message: str | None = None, target_options: str | None = None
    ) -> Any:
        """The answer to `input_text`: text, or a pair of it and whatever else there is to say."""


class MultiTarget(Target, ABC):
    """A target that holds conversations, and keeps what it has to know of each under its session id."""

    def __init__(self, turn_types: Sequence[Turn] | None = None, backtrack: bool = False) -> None:
        super().__init__([Turn.MULTI] if turn_types is None else turn_types, backtrack)
        self._target_data: MutableMapping[str, Any] = {}

    def add_managed_dicts(
        self, target_data: MutableMapping[str, Any], add_dicts: Iterable[str] | None = None
    ) -> None:
        """Keep all data in `target_data`, which gets an empty mapping for each name in `add_dicts`."""
        self._target_data = target_data
        for name in add_dicts or ():
            target_data[name] = {}

    def _get_target_data(self, uid: str) -> Any:
        return self._target_data.get(uid)

    def _update_target_data(self, uid: str, data: Any) -> None:
        self._target_data[uid] = data

    @abstractmethod
    def process_input(
        self,
        input_text: str,
        system_message: str | None = None,
        target_options: str | None = None,
        spikee_session_id: str | None = None,
        backtrack: bool | None = False,
    ) -> Any:
        """The answer to `input_text` in the conversation `spikee_session_id`, its last exchange taken back
        before where `backtrack` says so."""


class SimpleMultiTarget(MultiTarget, ABC):
    """A target whose conversations are lists of messages, and whose session ids may stand for other ids."""

    def _get_conversation_data(self, session_id: str) -> Any:
        return self._part("conversation_data").setdefault(session_id, [])

    def _update_conversation_data(self, session_id: str, conversation_data: Any) -> None:
        self._part("conversation_data")[session_id] = conversation_data

    def _append_conversation_data(self, session_id: str, role: str, content: str) -> None:
        self._get_conversation_data(session_id).append({"role": role, "content": content})

    def _get_id_map(self, spikee_session_id: str) -> Any:
        return self._part("id_map").get(spikee_session_id)

    def _update_id_map(self, spikee_session_id: str, associated_ids: Any) -> None:
        if associated_ids is None:
            raise ValueError("associated_ids cannot be None")
        self._part("id_map")[spikee_session_id] = associated_ids

    def _part(self, name: str) -> Any:
        return self._target_data.setdefault(name, {})


def parse_options(option: str | None) -> dict[str, str]:
    """The options in `key=value,…`; a part without `=` is no option and is left out.

    A value ends at the next comma that begins another `key=`, so that it may hold commas itself.
    """
    options: dict[str, str] = {}
    latest = ""
    for part in (option or "").split(","):
        key, sign, value = part.partition("=")
        if sign and key.strip():
            latest = key.strip()
            options[latest] = value.strip()
        elif latest and part.strip():
            options[latest] += f",{part.strip()}"
    return options


def target_modules() -> dict[str, ModuleType]:
    """What a target's file may import from spikee, by dotted name, made anew for each file."""
    hints = ("Content", "ModuleDescriptionHint", "ModuleOptionsHint", "TargetResponseHint")
    return packages(
        {
            "spikee.templates.target": {"Target": Target},
            "spikee.templates.multi_target": {"MultiTarget": MultiTarget},
            "spikee.templates.simple_multi_target": {"SimpleMultiTarget": SimpleMultiTarget},
            "spikee.tester": {
                "GuardrailTrigger": GuardrailTrigger,
                "MultiTurnSkip": MultiTurnSkip,
                "RetryableError": RetryableError,
            },
            "spikee.utilities.enums": {"EntryType": EntryType, "ModuleTag": ModuleTag, "Turn": Turn},
            "spikee.utilities.hinting": {**dict.fromkeys(hints, Any), "get_content": str},
            "spikee.utilities.modules": {"parse_options": parse_options},
        }
    )
