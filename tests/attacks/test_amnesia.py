from sensei_kumite.models import OracleSpec
from tests.attacks.build import attack, written

MARKER = "roboducksavetheworld"


def test_every_attempt_orders_the_marker() -> None:
    prompts = list(written(attack("amnesia", attempts=3)))
    assert len(prompts) == 3
    assert all(prompt.text.count(MARKER) == 1 for prompt in prompts)


def test_cases_get_their_default_id_and_oracle() -> None:
    amnesia = attack("amnesia")
    [prompt] = written(amnesia)
    assert (prompt.case_id, prompt.oracle, amnesia.case_prefix) == (None, None, "amnesia")
    assert amnesia.oracle() == OracleSpec("keyword_absent", {"keywords": [MARKER], "normalize": True})


def test_an_oracle_of_the_entry_replaces_the_default() -> None:
    amnesia = attack("amnesia", oracle={"type": "refusal_detection", "params": {"expected": "refused"}})
    assert amnesia.oracle() == OracleSpec("refusal_detection", {"expected": "refused"})
