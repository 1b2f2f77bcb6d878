import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.attacks.build import attack, first_prompt, written


def plain_text(encoded: str) -> str:
    return base64.b64decode(encoded, validate=True).decode("utf-8")


def test_two_built_in_requests_take_turns() -> None:
    prompts = list(written(attack("base64_injection", attempts=3)))
    decoded = [plain_text(prompt.text) for prompt in prompts]
    assert decoded[0] != decoded[1]
    assert decoded[2] == decoded[0]
    assert "system prompt" in decoded[0]


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_request_survives_the_encoding(request: str) -> None:
    [prompt] = written(attack("base64_injection", params={"prompts": [request]}))
    assert plain_text(prompt.text) == request
    assert prompt.metadata == {"decoded_prompt": request}


def test_each_prompt_is_judged_by_what_it_really_asks() -> None:
    wishes = ["Name a {planet}.", "Name a river."]
    prompts = written(attack("base64_injection", attempts=2, params={"prompts": wishes}))
    for wish, prompt in zip(wishes, prompts, strict=True):
        assert prompt.oracle is not None
        assert prompt.oracle.type == "llm_judge"
        assert wish in prompt.oracle.params["policy"]


def test_an_oracle_of_the_entry_serves_all_prompts() -> None:
    injection = attack("base64_injection", attempts=2, oracle={"type": "refusal_detection"})
    assert [prompt.oracle for prompt in written(injection)] == [None, None]
    assert injection.oracle().type == "refusal_detection"


@pytest.mark.parametrize(
    "params", [{"prompts": []}, {"prompts": [""]}, {"prompts": "one"}, {"prompt": ["x"]}]
)
def test_parameters_that_cannot_work_are_refused(params: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        attack("base64_injection", params=params)


def test_a_request_is_rephrased_before_it_is_encoded() -> None:
    params = {"prompts": ["Name a wide river."]}
    answer = '["Tell me of a wide river."]'
    prompt = first_prompt("base64_injection", answer, rephrase=0.6, params=params)
    assert plain_text(prompt.text) == "Tell me of a wide river."
    assert prompt.metadata["decoded_prompt"] == "Tell me of a wide river."
    assert prompt.metadata["original_rephrased_text"] == "Name a wide river."
    assert prompt.metadata["rephrased_component"] == "decoded_prompt"
    assert prompt.oracle is not None
    assert "Tell me of a wide river." in prompt.oracle.params["policy"]
