import re

import pytest

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.attacks.taxonomy import taxonomy_name, taxonomy_of
from tests.attacks.build import attack

JAILBREAKS = ["affirmative_suffix", "aim_jailbreak", "dan_jailbreak", "self_refine", "ucar"]
OTHERS = [
    "amnesia",
    "authoritative_role_impersonation",
    "base64_injection",
    "complementary_transition",
    "custom_benchmark",
    "dynamic",
    "query_file",
    "system_prompt_stealer",
    "typoglycemia_attack",
]


def test_these_are_all() -> None:
    assert ATTACKS.names() == sorted(JAILBREAKS + OTHERS)


@pytest.mark.parametrize("name", JAILBREAKS)
def test_jailbreaks_are_named_as_such(name: str) -> None:
    assert taxonomy_of(name) == ("LLM01", "AML.T0054")


@pytest.mark.parametrize("name", JAILBREAKS + OTHERS)
def test_every_attack_has_named_ids_of_both_standards(name: str) -> None:
    ids = taxonomy_of(name)
    assert any(re.fullmatch(r"LLM\d\d", identifier) for identifier in ids)
    assert any(re.fullmatch(r"AML\.T\d{4}(\.\d{3})?", identifier) for identifier in ids)
    assert all(taxonomy_name(identifier) for identifier in ids)


def test_obfuscating_attacks_say_so() -> None:
    assert taxonomy_of("base64_injection") == ("LLM01", "AML.T0051.000", "AML.T0068")
    assert taxonomy_name("AML.T0068") == "LLM Prompt Obfuscation"


def test_an_attack_carries_its_ids() -> None:
    assert attack("system_prompt_stealer").taxonomy == ("LLM07", "AML.T0056")


def test_unknown_names_have_no_ids() -> None:
    assert taxonomy_of("somebody_elses") == ()
    assert taxonomy_name("AML.T9999") == ""
