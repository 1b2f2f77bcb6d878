"""Dynamic attacks: searches that go on where the first prompt failed, ours and those of scripts."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from sensei_kumite.dynamic.chat import AIMessage, HumanMessage, Message, SystemMessage
from sensei_kumite.dynamic.content import (
    Audio,
    Content,
    Image,
    content_factory,
    get_content,
    get_content_type,
    process_target_content,
)
from sensei_kumite.dynamic.contract import (
    AdvancedTargetWrapper,
    Attack,
    AttackAttempt,
    AttackResponseHint,
    EntryType,
    Module,
    ModuleDescriptionHint,
    ModuleOptionsHint,
    ModuleTag,
    TargetResponseHint,
    Turn,
)
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.options import parse_options
from sensei_kumite.dynamic.search import DYNAMIC_ATTACKS, SearchContext
from sensei_kumite.dynamic.structured import (
    LLMResponseError,
    extract_json_or_fail,
    parse_json_object,
    parse_jsonl_variations,
    query_structured_response,
)
from sensei_kumite.targets.script_names import (
    GuardrailTrigger,
    MultiTarget,
    MultiTurnSkip,
    RetryableError,
    SimpleMultiTarget,
    Target,
)

__all__ = [
    "DYNAMIC_ATTACKS",
    "AIMessage",
    "AdvancedTargetWrapper",
    "Attack",
    "AttackAttempt",
    "AttackResponseHint",
    "Audio",
    "Content",
    "EntryType",
    "GuardrailTrigger",
    "HumanMessage",
    "Image",
    "LLMResponseError",
    "Message",
    "Module",
    "ModuleDescriptionHint",
    "ModuleOptionsHint",
    "ModuleTag",
    "MultiTarget",
    "MultiTurnSkip",
    "RetryableError",
    "SearchContext",
    "SimpleMultiTarget",
    "StandardisedConversation",
    "SystemMessage",
    "Target",
    "TargetResponseHint",
    "Turn",
    "attack_history_enabled",
    "content_factory",
    "extract_json_or_fail",
    "get_content",
    "get_content_type",
    "get_llm",
    "parse_json_object",
    "parse_jsonl_variations",
    "parse_options",
    "process_target_content",
    "query_structured_response",
]

_SEARCHES = (
    "anti_spotlighting",
    "best_of_n",
    "crescendo",
    "encodings",
    "goat",
    "multi_language",
    "multi_turn",
    "pair",
    "prompt_decomposition",
    "random_suffix_search",
    "tap",
)

for _name in _SEARCHES:
    DYNAMIC_ATTACKS.declare(_name, f"sensei_kumite.dynamic.searches.{_name}")


def attack_history_enabled() -> bool:
    """Whether scripts should keep a history of what they try: unless SPIKEE_ATTACK_HISTORY says no."""
    return os.environ.get("SPIKEE_ATTACK_HISTORY", "").strip().lower() not in ("0", "false", "no", "off")


def get_llm(
    options: str = "",  # noqa: ARG001  # the contract's, as the others
    max_tokens: int | None = 8,  # noqa: ARG001
    temperature: float = 0,  # noqa: ARG001
    **kwargs: Any,  # noqa: ARG001
) -> NoReturn:
    """A model to talk to, in scripts that a campaign runs: they find another function under this name.

    Raises RuntimeError here, where no campaign says which model that is.
    """
    raise RuntimeError("get_llm works in scripts that a campaign runs: it gives them the campaign's model.")
