"""Attack strategies, one a file, named as in YAML. Built-in ones are named here, and imported when used."""

from sensei_kumite.attacks.base import ATTACKS

_NAMES = (
    "affirmative_suffix",
    "aim_jailbreak",
    "amnesia",
    "authoritative_role_impersonation",
    "base64_injection",
    "complementary_transition",
    "custom_benchmark",
    "dan_jailbreak",
    "dynamic",
    "query_file",
    "self_refine",
    "system_prompt_stealer",
    "typoglycemia_attack",
    "ucar",
)

for _name in _NAMES:
    ATTACKS.declare(_name, f"{__name__}.{_name}")
