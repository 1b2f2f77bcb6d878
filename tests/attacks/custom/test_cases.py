from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.custom.cases import CustomCase, ReadCase, misspelt, read_keys
from sensei_kumite.attacks.custom.variables import Variable
from sensei_kumite.attacks.custom.where import where_at
from sensei_kumite.yaml_reader import parse_yaml
from tests.attacks.custom.reading import NAME, case, told

CALL = {"path": "f.py", "name": "f", "arguments": {"x": "y"}, "rephrase": {"target": "arguments.x"}}
GENERATED = {"value": {"generate": {"prompt": "p", "fallback": "f"}}}


def keys(body: str) -> ReadCase:
    document = parse_yaml(case(body), Path(NAME))
    return read_keys(document.data["cases"][0], where_at(document, ("cases", 0)))


def test_a_case_with_a_prompt() -> None:
    read = keys("prompt: hi\nvariants: 3\noracle: {type: t}\nvariables: {v: {value: x}}\nseverity: 007")
    assert read.problems == ()
    assert read.keys is not None
    assert (read.keys.prompt, read.keys.variants, read.keys.generation) == ("hi", 3, None)
    assert read.variables == {"v": Variable(value="x")}
    assert read.metadata == {"severity": 7}


def test_a_case_that_a_model_writes() -> None:
    read = keys("generate: tell\nfallback: told\nmodel: m\nmodel_provider: p\ntemperature: 0\nseverity: x")
    assert read.problems == ()
    assert read.keys is not None
    generation = read.keys.generation
    assert generation is not None
    assert (generation.prompt, generation.fallback, generation.temperature) == ("tell", "told", 0)
    assert (generation.model, generation.model_provider, generation.context) == ("m", "p", False)
    assert read.metadata == {"severity": "x"}


def test_the_temperature_is_0_7_unless_it_is_said() -> None:
    read = keys("generate: tell\nfallback: told")
    assert read.keys is not None
    assert read.keys.generation is not None
    assert read.keys.generation.temperature == 0.7


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("severity: x", "2: cases[1] (c): the key 'prompt' is missing."),
        ("prompt: x\ngenerate: y\nfallback: z", "4: cases[1] (c) > generate: a case has either a prompt or"),
        ("generate: y", "3: cases[1] (c) > generate: generate needs a fallback"),
        (
            "generate: y\nfallback: z\nvariables: {}",
            "5: cases[1] (c) > variables: generate takes no variables.",
        ),
        ("generate: y\nfallback: z\ntemperature: 3", "5: cases[1] (c) > temperature: should be at most 2"),
        ("generate: y\nfallback: ''", "4: cases[1] (c) > fallback: must not be empty"),
        ("prompt: x\nvariants: 0", "4: cases[1] (c) > variants: should be at least 1, not 0."),
        ("prompt: x\nvariants: 1.5", "4: cases[1] (c) > variants: should be a whole number"),
        ("prompt: x\noracle: {params: {}}", "4: cases[1] (c) > oracle: the key 'type' is missing."),
        ("prompt: x\noracle: {type: t, parms: {}}", "4: cases[1] (c) > oracle: unknown key 'parms'."),
        ("prompt: x\nvariables: [v]", "4: cases[1] (c) > variables: should be a mapping of names"),
        ("prompt: x\nvariables: {v: Bob}", "4: cases[1] (c) > variables > v: should be a mapping"),
        (
            "prompt: x\nvariables:\n  1v: {value: x}",
            "5: cases[1] (c) > variables > 1v: the name of a variable",
        ),
        ("prompt: x\nvariables:\n  v:\n    valeu: x", "unknown key 'valeu'"),
        (
            "prompt: x\nvariables:\n  v:\n    value:\n      generate:\n        prompt: p\n"
            "        fallback: f\n        temprature: 1",
            "10: cases[1] (c) > variables > v > value > generate: unknown key 'temprature'.",
        ),
        (
            "prompt: x\nvariables:\n  v:\n    function:\n      path: f.py\n      name: f\n      args: {}",
            "9: cases[1] (c) > variables > v > function: unknown key 'args'.",
        ),
        (
            "prompt: x\nvariables:\n  v:\n    function:\n      path: f.py\n      name: f\n"
            "      rephrase: {target: x}",
            "9: cases[1] (c) > variables > v > function: the target should begin with 'arguments.'",
        ),
    ],
)
def test_every_fault_has_its_place(body: str, expected: str) -> None:
    assert any(expected in line for line in told(keys(body).problems)), told(keys(body).problems)


def test_faults_of_different_keys_are_told_together() -> None:
    body = "generate: x\nvariants: two\nvariables: {a: {}, 1b: {value: x}, ok: {value: y}}"
    read = keys(body)
    assert len(read.problems) == 5
    assert (read.keys, [*read.variables]) == (None, ["ok"])


def warnings(body: str) -> list[str]:
    found = keys(body).problems
    assert all(problem.severity == "warning" for problem in found)
    return [str(problem) for problem in found]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            "prompt: x\nvariant: 3",
            "variant: this is copied to the metadata and does nothing else. Did you mean",
        ),
        ("prompt: x\nfallback: y", "fallback: this does nothing beside a prompt; it belongs to generate."),
        (
            "generate: x\nfallback: y\ncontext: true",
            "context: this is copied to the metadata and does nothing",
        ),
        ("generate: x\nfallback: y\nmodle: z", "Did you mean 'model'?"),
    ],
)
def test_keys_that_do_less_than_they_promise(body: str, says: str) -> None:
    [warning] = warnings(body)
    assert says in warning


def test_keys_of_the_short_form_are_no_metadata() -> None:
    assert keys("prompt: x\nfallback: y\nmodel: z\nkind: k\ncontext: c").metadata == {
        "kind": "k",
        "context": "c",
    }


def test_any_other_key_is_the_authors() -> None:
    assert warnings("prompt: x\nseverity: y\nmodule: z\nnotes: [a]") == []


def made(prompt: str = "", **variables: Any) -> CustomCase:
    declared = {name: Variable.model_validate(given) for name, given in variables.items()}
    where = where_at(parse_yaml("cases: [{}]", Path(NAME)), ("cases", 0))
    return CustomCase("c", where, prompt, variables=declared)


def test_a_case_is_settled_unless_it_takes_a_model_or_a_function() -> None:
    assert made("x").is_settled
    assert made("x", v={"value": "x"}, t={"type": "path", "value": "t.txt"}).is_settled
    assert not made("x", v={"value": "x"}, f={"function": CALL}).is_settled
    assert not made("x", g=GENERATED).is_settled


def test_the_calls_that_a_case_takes() -> None:
    case_of_three = made("x", g=GENERATED, h=GENERATED, f={"function": CALL})
    assert case_of_three.model_calls(rephrases=False) == 2
    assert case_of_three.model_calls(rephrases=True) == 4
    assert made("x").model_calls(rephrases=False) == 0


def test_a_misspelling_is_near_a_known_key() -> None:
    assert misspelt("promt", ("prompt", "oracle")) == "prompt"
    assert misspelt("severity", ("prompt", "oracle")) is None
