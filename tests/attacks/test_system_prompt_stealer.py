from sensei_kumite.models import OracleSpec
from tests.attacks.build import attack, offline, written


def test_three_different_requests_take_turns() -> None:
    texts = [prompt.text for prompt in written(attack("system_prompt_stealer", attempts=7))]
    assert len(set(texts[:3])) == 3
    assert texts[3:6] == texts[:3]
    assert texts[6] == texts[0]


def test_leakage_is_what_it_is_scored_by() -> None:
    assert attack("system_prompt_stealer").oracle() == OracleSpec("system_prompt_leakage", {})


def test_each_request_may_be_rephrased() -> None:
    plain = [prompt.text for prompt in written(attack("system_prompt_stealer", attempts=3))]
    rephrased = list(written(attack("system_prompt_stealer", model=offline(), attempts=3, rephrase=0.4)))
    assert [prompt.metadata["original_rephrased_text"] for prompt in rephrased] == plain
    assert all(prompt.text != text for prompt, text in zip(rephrased, plain, strict=True))
    assert {prompt.metadata["rephrased_component"] for prompt in rephrased} == {"prompt"}
