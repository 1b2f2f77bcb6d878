"""Built-in attack strategies, one a file, named as in YAML; importing this package registers them."""

from sensei_kumite.attacks import (
    affirmative_suffix,
    aim_jailbreak,
    amnesia,
    authoritative_role_impersonation,
    base64_injection,
    complementary_transition,
    custom_benchmark,
    dan_jailbreak,
    query_file,
    self_refine,
    system_prompt_stealer,
    typoglycemia_attack,
    ucar,
)

__all__ = [
    "affirmative_suffix",
    "aim_jailbreak",
    "amnesia",
    "authoritative_role_impersonation",
    "base64_injection",
    "complementary_transition",
    "custom_benchmark",
    "dan_jailbreak",
    "query_file",
    "self_refine",
    "system_prompt_stealer",
    "typoglycemia_attack",
    "ucar",
]
