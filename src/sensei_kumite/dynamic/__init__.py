"""Dynamic attacks: searches that go on where the first prompt failed, ours and those of scripts."""

from __future__ import annotations

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
    Attack,
    AttackAttempt,
    AttackResponseHint,
    EntryType,
    ModuleDescriptionHint,
    ModuleOptionsHint,
    ModuleTag,
    TargetResponseHint,
    Turn,
)
from sensei_kumite.dynamic.conversation import StandardisedConversation
from sensei_kumite.dynamic.options import parse_options
from sensei_kumite.dynamic.search import DYNAMIC_ATTACKS, SearchContext

__all__ = [
    "DYNAMIC_ATTACKS",
    "Attack",
    "AttackAttempt",
    "AttackResponseHint",
    "Audio",
    "Content",
    "EntryType",
    "Image",
    "ModuleDescriptionHint",
    "ModuleOptionsHint",
    "ModuleTag",
    "SearchContext",
    "StandardisedConversation",
    "TargetResponseHint",
    "Turn",
    "content_factory",
    "get_content",
    "get_content_type",
    "parse_options",
    "process_target_content",
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
