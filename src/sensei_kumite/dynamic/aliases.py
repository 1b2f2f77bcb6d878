"""What a script finds where it imports the names of the contract: our own, whatever is installed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType

import sensei_kumite
from sensei_kumite import dynamic
from sensei_kumite.dynamic.chat import chat_model
from sensei_kumite.llm.requests import Model
from sensei_kumite.targets.python_file import packages

_NAMES: Mapping[str, tuple[str, ...]] = {
    "spikee.templates.attack": ("Attack",),
    "spikee.templates.module": ("Module",),
    "spikee.templates.multi_target": ("MultiTarget",),
    "spikee.templates.simple_multi_target": ("SimpleMultiTarget",),
    "spikee.templates.standardised_conversation": ("StandardisedConversation",),
    "spikee.templates.target": ("Target",),
    "spikee.tester": ("AdvancedTargetWrapper", "GuardrailTrigger", "MultiTurnSkip", "RetryableError"),
    "spikee.utilities.attack": ("attack_history_enabled",),
    "spikee.utilities.enums": ("EntryType", "ModuleTag", "Turn"),
    "spikee.utilities.hinting": (
        "AttackAttempt",
        "AttackResponseHint",
        "Audio",
        "Content",
        "Image",
        "ModuleDescriptionHint",
        "ModuleOptionsHint",
        "TargetResponseHint",
        "content_factory",
        "get_content",
        "get_content_type",
        "process_target_content",
    ),
    "spikee.utilities.llm": ("get_llm",),
    "spikee.utilities.llm_message": ("AIMessage", "HumanMessage", "Message", "SystemMessage"),
    "spikee.utilities.llm_response": (
        "LLMResponseError",
        "parse_json_object",
        "parse_jsonl_variations",
        "query_structured_response",
    ),
    "spikee.utilities.modules": ("extract_json_or_fail", "parse_options"),
}


class _Offered(dict[str, ModuleType]):
    """Modules by name, that have the last word on everything below `spikee`."""

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or str(name).partition(".")[0] == "spikee"

    def __missing__(self, name: str) -> ModuleType:
        raise ImportError(f"{name} is not among the modules that scripts can import")


def script_modules(generation: Callable[..., Model] | None) -> Mapping[str, ModuleType]:
    """The modules that a script imports instead of any others, by dotted name, made anew for each script.

    `get_llm` gives models that `generation` hands out. What is not offered below `spikee` raises ImportError.
    """
    names = vars(dynamic) | {"get_llm": partial(chat_model, generation)}
    contents = {module: {name: names[name] for name in offered} for module, offered in _NAMES.items()}
    return _Offered(
        packages({**contents, "sensei_kumite": vars(sensei_kumite), "sensei_kumite.dynamic": names})
    )
