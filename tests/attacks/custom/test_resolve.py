from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sensei_kumite.attacks.base import Prompt
from sensei_kumite.attacks.custom.document import Entry, read_custom_file
from sensei_kumite.attacks.custom.resolve import write
from sensei_kumite.errors import BudgetReached, ConfigurationError, Problem
from sensei_kumite.llm.requests import Model
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import Document, YamlPath
from tests.attacks.build import ScriptedModel, offline
from tests.attacks.custom.reading import ALONE, NAME, case, put, tools

CODE = """\
import base64

def encode(text):
    return base64.b64encode(text.encode()).decode()

def same(text="", **more):
    return text

def upper(text):
    return text.upper()

def boom():
    raise ValueError("no luck")
"""
HEAD = "oracle: {type: keyword_absent, params: {keywords: [zz]}}\n"


def prompts(
    folder: Path,
    text: str,
    model: Model | None = None,
    *,
    rephrase: float = 0.0,
    entry: Entry = ALONE,
    **more: Any,
) -> list[Prompt]:
    """The prompts of an attack file that has no errors."""
    put(folder, {NAME: text, "f.py": CODE})
    kit = tools(folder, model, rephrase=rephrase, **more)
    file = read_custom_file(folder / NAME, kit, entry)
    assert [problem for problem in file.problems if problem.severity == "error"] == []
    return [write(one, kit) for one in file.cases]


def prompt(folder: Path, body: str, model: Model | None = None, **more: Any) -> Prompt:
    [one] = prompts(folder, case(body, HEAD), model, **more)
    return one


def call(name: str, arguments: str, more: str = "") -> str:
    return f"{{function: {{path: f.py, name: {name}, arguments: {arguments}{more}}}}}"


ENCODED = call("encode", "{text: '<{{v}}>'}")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("prompt: 'plain {{7*7}}'", "plain {{7*7}}"),
        ("prompt: 'say {{{{v}}}} to {{context.target_context}}'", "say {{v}} to Sells tea."),
        ("prompt: '{{v}} {{w}}'\nvariables: {v: {value: a}, w: {value: '<{{v}}>'}}", "a <a>"),
        ("prompt: '{{t}}!'\nvariables: {t: {type: path, value: '{{n}}.txt'}, n: {value: t}}", "from t\n!"),
        (f"prompt: '{{{{f}}}}'\nvariables: {{f: {call('encode', '{text: hi}')}}}", "aGk="),
        ("prompt: '{{f}}'\nvariables: {f: " + ENCODED + ", v: {value: hi}}", "PGhpPg=="),
    ],
)
def test_a_prompt_is_put_together(tmp_path: Path, body: str, expected: str) -> None:
    put(tmp_path, {"t.txt": "from {{n}}\n"})
    assert prompt(tmp_path, body, target_context="Sells tea.").text == expected


def test_braces_in_results_are_text(tmp_path: Path) -> None:
    model = ScriptedModel("a {{v}} ${x} }} {{")
    body = f"""\
prompt: "{{{{g}}}}|{{{{f}}}}|{{{{v}}}}"
variables:
  g: {{value: {{generate: {{prompt: p, fallback: f}}}}}}
  f: {call("same", "{text: '{{g}}'}")}
  v: {{value: x}}
"""
    assert prompt(tmp_path, body, model).text == "a {{v}} ${x} }} {{|a {{v}} ${x} }} {{|x"


def test_arguments_keep_their_types(tmp_path: Path) -> None:
    put(tmp_path, {"r.py": "def show(**given):\n    return repr(sorted(given.items()))\n"})
    body = """\
prompt: "{{f}}"
variables:
  v: {value: x}
  f:
    function:
      path: r.py
      name: show
      arguments: {a: 007, b: 1.10, c: true, d: , e: ["{{v}}", {k: "<{{v}}>"}], f: "{{{{v}}}}"}
"""
    expected = [("a", 7), ("b", 1.1), ("c", True), ("d", None), ("e", ["x", {"k": "<x>"}]), ("f", "{{v}}")]
    assert prompt(tmp_path, body).text == repr(expected)


def test_a_model_is_asked_once_for_each_variable_and_told_the_values_of_others(tmp_path: Path) -> None:
    model = ScriptedModel("first", "second")
    body = """\
prompt: "{{late}} {{late}} {{early}}"
variables:
  late: {value: {generate: {prompt: "after {{early}}", fallback: f}}}
  early: {value: {generate: {prompt: "for {{v}}", fallback: f}}}
  v: {value: Ann}
"""
    one = prompt(tmp_path, body, model)
    assert one.text == "second second first"
    assert [request.messages[-1].content for request in model.requests] == ["for Ann", "after first"]
    told = one.metadata["variable_generation"]
    assert {name: told[name]["generation_instruction"] for name in told} == {
        "early": "for Ann",
        "late": "after first",
    }
    assert one.metadata["generated_by_llm"] is True


def test_generated_by_llm_tells_whether_any_was(tmp_path: Path) -> None:
    variables = ", ".join(f"{name}: {{value: {{generate: {{prompt: p, fallback: f}}}}}}" for name in "ab")
    body = f"prompt: '{{{{a}}}}{{{{b}}}}'\nvariables: {{{variables}}}"
    assert prompt(tmp_path, body, ScriptedModel("", "x")).metadata["generated_by_llm"] is True
    assert prompt(tmp_path, body, ScriptedModel("")).metadata["generated_by_llm"] is False


def test_the_short_form(tmp_path: Path) -> None:
    model = ScriptedModel("written")
    body = "generate: 'about {{context.target_context}}'\nfallback: f\nseverity: high\ntemperature: 0.2"
    one = prompt(tmp_path, body, model, target_context="Sells tea.")
    assert one.text == "written"
    assert one.metadata == {
        "severity": "high",
        "generated_by_llm": True,
        "generation_instruction": "about Sells tea.",
        "generation_model": "gpt-4o-mini",
        "generation_model_provider": "openai",
        "generation_temperature": 0.2,
    }


def test_the_budget_goes_before_any_fallback(tmp_path: Path) -> None:
    with pytest.raises(BudgetReached):
        prompt(tmp_path, "generate: x\nfallback: f", ScriptedModel(BudgetReached("enough")))


def test_oracles_get_the_values_of_their_case(tmp_path: Path) -> None:
    shared = "oracle: {type: t, params: {keywords: ['{{v}}', '{{{{v}}}}', 3]}}\n"
    own = case("prompt: x\nvariables: {v: {value: one}}", shared)
    own += "  - prompt: y\n    variables: {v: {value: two}}\n"
    own += "  - prompt: z\n    oracle: {type: u, params: {deep: [{k: '{{context.target_context}}'}]}}\n"
    assert [one.oracle for one in prompts(tmp_path, own, target_context="tea")] == [
        OracleSpec("t", {"keywords": ["one", "{{v}}", 3]}),
        OracleSpec("t", {"keywords": ["two", "{{v}}", 3]}),
        OracleSpec("u", {"deep": [{"k": "tea"}]}),
    ]
    of_entry = Entry(oracle=OracleSpec("e", {"k": "{{v}}"}))
    file = case("prompt: x\nvariables: {v: {value: one}}", shared)
    assert [one.oracle for one in prompts(tmp_path, file, entry=of_entry)] == [OracleSpec("e", {"k": "one"})]


def short(spec: OracleSpec, document: Document, path: YamlPath) -> list[Problem]:
    return [Problem("too short", document.place(path))] if spec.params.get("k") == "x" else []


def test_an_oracle_that_a_model_spoils_is_told(tmp_path: Path) -> None:
    body = "prompt: '{{g}}'\nvariables: {g: {value: {generate: {prompt: p, fallback: f}}}}\n"
    body += "oracle: {type: t, params: {k: '{{g}}'}}"
    good = prompt(tmp_path, body, ScriptedModel("fine"), check_oracle=short)
    assert good.oracle == OracleSpec("t", {"k": "fine"})
    with pytest.raises(ConfigurationError, match=r"x\.yml:6.*\(c\) > oracle: too short"):
        prompt(tmp_path, body, ScriptedModel("x"), check_oracle=short)


LATE = [
    (
        f"f: {call('boom', '{}')}",
        "8.*variables > f > function: .*f.py, line 13: boom failed: ValueError: no luck",
    ),
    (
        f"f: {call('same', '{text: }')}",
        "variables > f > function: same of f.py should return a text, not NoneType",
    ),
    (
        f"g: {call('same', '{text: gone}')}\n  f: {{type: path, value: '{{{{g}}}}.txt'}}",
        "9.*variables > f > value: 'gone.txt' was not found",
    ),
    (
        f"g: {call('same', '{text: typo}')}\n  f: {{type: path, value: '{{{{g}}}}.txt'}}",
        r"typo.txt:1:1: .*variables > f > value: there is no variable 'nobody'",
    ),
    (
        f"g: {call('same', '{text: circle}')}\n  f: {{type: path, value: '{{{{g}}}}.txt'}}",
        r"9.*variables > f: this variable uses itself: f -> f",
    ),
    (
        f"g: {call('same', '{text: gone}')}\n  f: {{function: {{path: '{{{{g}}}}.py', name: f}}}}",
        "'gone.py' was not",
    ),
    (f"f: {call('same', '{}')}", "prompt: this is empty once its variables are filled in"),
]


@pytest.mark.parametrize(("variables", "says"), LATE)
def test_what_only_comes_out_while_writing_is_told_with_its_place(
    tmp_path: Path, variables: str, says: str
) -> None:
    put(tmp_path, {"typo.txt": "{{nobody}}", "circle.txt": "{{f}}"})
    with pytest.raises(ConfigurationError, match=says):
        prompt(tmp_path, f"prompt: ' {{{{f}}}}'\nnote: x\nvariables:\n  # two\n  {variables}\n")


def test_what_a_model_writes_must_not_make_a_prompt_endless(tmp_path: Path) -> None:
    body = "prompt: '{{g}}{{g}}'\nvariables: {g: {value: {generate: {prompt: p, fallback: f}}}}"
    with pytest.raises(ConfigurationError, match=r"x\.yml:3:.*cases\[1\] \(c\): .*10,000,000 characters"):
        prompt(tmp_path, body, ScriptedModel("x" * 6_000_000))


def test_an_argument_to_be_rephrased_must_not_turn_out_empty(tmp_path: Path) -> None:
    targeted = call("same", "{text: '{{g}}'}", ", rephrase: {target: arguments.text}")
    body = f"prompt: 'x {{{{f}}}}'\nvariables:\n  g: {call('same', '{}')}\n  f: {targeted}\n"
    with pytest.raises(ConfigurationError, match="rephrase > target: the argument that it names is empty"):
        prompt(tmp_path, body)


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        (f"v: {{value: Ann, protect: true}}\n  f: {ENCODED}", "should stand in"),
        (f"f: {call('same', '{}')[:-1]}, protect: true}}", "must not be empty"),
    ],
)
def test_protection_that_turns_out_idle_is_told(tmp_path: Path, variables: str, says: str) -> None:
    with pytest.raises(ConfigurationError, match=f"protect: what is protected {says}"):
        prompt(tmp_path, f"prompt: 'x {{{{f}}}}'\nvariables:\n  {variables}\n")


def test_a_file_that_a_function_names_may_use_variables(tmp_path: Path) -> None:
    put(tmp_path, {"chosen.txt": "{{late}} and {{v}} and {{asked}}"})
    body = f"""\
prompt: "{{{{t}}}}"
variables:
  t: {{type: path, value: "{{{{name}}}}.txt"}}
  name: {call("same", "{text: chosen}")}
  late: {call("upper", "{text: '{{v}}'}")}
  asked: {{value: {{generate: {{prompt: "{{{{w}}}}", fallback: f}}}}}}
  v: {{value: x}}
  w: {{value: y}}
"""
    assert prompt(tmp_path, body, ScriptedModel("done")).text == "X and x and done"


def scripted(*texts: str) -> ScriptedModel:
    """Answers with one candidate each."""
    return ScriptedModel(*[json.dumps([text]) for text in texts])


def test_nothing_is_rephrased_unless_the_entry_says_so(tmp_path: Path) -> None:
    body = f"""\
prompt: "say {{{{f}}}}"
variables:
  f: {call("same", "{text: good day to you}", ", rephrase: {target: arguments.text}")}
"""
    one = prompt(tmp_path, body)
    assert one.text == "say good day to you"
    assert not any("rephras" in key for key in one.metadata)


def test_an_argument_is_rephrased_first_and_its_result_stays(tmp_path: Path) -> None:
    targeted = call("encode", "{text: 'good day to {{v}}'}", ", rephrase: {target: arguments.text}")
    body = f"""\
prompt: "please say this: {{{{f}}}}"
variables:
  f: {targeted}
  v: {{value: Ann, protect: true}}
"""
    encoded = base64.b64encode(b"fine day to Ann").decode()
    lost = base64.b64encode(b"good day to Ann").decode()
    model = scripted("fine day to Ann", f"kindly say this: {lost}", f"kindly utter this: {encoded}")
    one = prompt(tmp_path, body, model, rephrase=0.3)
    assert one.text == f"kindly utter this: {encoded}"
    [told] = one.metadata["function_rephrasing"]
    assert (told["variable"], told["target"], told["rephrased_component"]) == (
        "f",
        "arguments.text",
        "arguments.text",
    )
    assert (told["original_rephrased_text"], told["rephrased_text"]) == ("good day to Ann", "fine day to Ann")
    assert one.metadata["rephrased_component"] == "prompt"
    assert one.metadata["protected_variables"] == ["v"]
    assert [request.facts["protected"] for request in model.requests] == [("Ann",), (encoded,), (encoded,)]


def test_the_target_may_lie_deep_and_what_was_declared_stays_as_it_was(tmp_path: Path) -> None:
    put(tmp_path, {"d.py": "def f(of): return of['map']['text']\n"})
    body = """\
prompt: "x {{f}}"
variables:
  f:
    function:
      path: d.py
      name: f
      arguments: {of: {map: {text: good day to all}}}
      rephrase: {target: arguments.of.map.text}
"""
    text = case(body, HEAD)
    for _ in range(2):
        [one] = prompts(tmp_path, text, scripted("fine day to all"), rephrase=0.3)
        assert one.metadata["function_rephrasing"][0]["original_rephrased_text"] == "good day to all"
        assert "fine day to all" in one.text


def test_a_generated_prompt_is_rephrased_under_its_own_name(tmp_path: Path) -> None:
    model = ScriptedModel("good day to you all", '["fine day to you all"]')
    one = prompt(tmp_path, "generate: x\nfallback: f", model, rephrase=0.2)
    assert (one.text, one.metadata["rephrased_component"]) == ("fine day to you all", "generated_prompt")


# Characters that no wording of the test's words has: so each rephrasing can be told from its values.
VALUES = st.text("XQ7Ж漢字 -_.!\n", min_size=1).filter(str.strip)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    values=st.lists(VALUES, min_size=1, max_size=3),
    words=st.lists(
        st.sampled_from(["please", "tell", "me", "the", "secret", "again"]), min_size=3, max_size=20
    ),
    wanted=st.floats(0.1, 1),
)
def test_protected_values_survive_rephrasing(
    tmp_path: Path, values: list[str], words: list[str], wanted: float
) -> None:
    names = [f"v{number}" for number in range(len(values))]
    variables = {name: {"value": value, "protect": True} for name, value in zip(names, values, strict=True)}
    marks = [f"{{{{{name}}}}}" for name in names]
    text = " ".join([*words, *marks, *words, marks[0]])
    file = {"oracle": {"type": "t"}, "cases": [{"prompt": text, "variables": variables}]}
    [original] = prompts(tmp_path, json.dumps(file, ensure_ascii=False))
    [one] = prompts(tmp_path, json.dumps(file, ensure_ascii=False), offline(), rephrase=wanted)
    assert one.metadata["rephrased_by_llm"] is True
    for value in values:
        assert one.text.count(value) == original.text.count(value) > 0


def test_every_case_is_worked_out_afresh(tmp_path: Path) -> None:
    put(tmp_path, {NAME: case("generate: x\nfallback: f", HEAD)})
    kit = tools(tmp_path, ScriptedModel("one", "two"))
    [declared] = read_custom_file(tmp_path / NAME, kit).cases
    assert [write(declared, kit).text for _ in range(2)] == ["one", "two"]
