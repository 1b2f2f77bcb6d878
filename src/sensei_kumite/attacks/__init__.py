"""Built-in attack strategies, one a file, named as in YAML; importing this package registers them."""

from sensei_kumite.attacks import (
    aim_jailbreak,
    amnesia,
    base64_injection,
    custom_benchmark,
    system_prompt_stealer,
    typoglycemia_attack,
)

__all__ = [
    "aim_jailbreak",
    "amnesia",
    "base64_injection",
    "custom_benchmark",
    "system_prompt_stealer",
    "typoglycemia_attack",
]
