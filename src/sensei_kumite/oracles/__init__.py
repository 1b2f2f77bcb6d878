"""Oracles: what judges a response. Built-in ones are named here with their module, imported when used."""

from sensei_kumite.oracles.base import ORACLES

_MODULES = {
    "composition": ("all_of", "any_of", "not"),
    "jailbreak_compliance": ("jailbreak_compliance",),
    "json_schema_match": ("json_schema_match",),
    "keywords": ("keyword_absent", "keyword_contains"),
    "llm_judge": ("llm_judge", "domain_violation", "policy_violation"),
    "pii_leakage": ("pii_leakage",),
    "query_match": ("query_match",),
    "refusal_detection": ("refusal_detection",),
    "regexes": ("regex_absent", "regex_match"),
    "semantic_similarity": ("semantic_similarity",),
    "system_prompt_leakage": ("system_prompt_leakage",),
}

for _module, _names in _MODULES.items():
    for _name in _names:
        ORACLES.declare(_name, f"{__name__}.{_module}")
