"""Oracles: what judges a response. Importing this package registers the built-in ones."""

from sensei_kumite.oracles import (
    composition,
    jailbreak_compliance,
    json_schema_match,
    keywords,
    llm_judge,
    pii_leakage,
    query_match,
    refusal_detection,
    regexes,
    semantic_similarity,
    system_prompt_leakage,
)

__all__ = [
    "composition",
    "jailbreak_compliance",
    "json_schema_match",
    "keywords",
    "llm_judge",
    "pii_leakage",
    "query_match",
    "refusal_detection",
    "regexes",
    "semantic_similarity",
    "system_prompt_leakage",
]
