import tracemalloc
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.base import Attack, Prompt, Unwritten
from sensei_kumite.models import OracleSpec
from tests.attacks.build import ScriptedModel, attack, offline, written
from tests.attacks.custom.reading import put

KEYWORD = "{type: keyword_absent, params: {keywords: [zz]}}"


def custom(folder: Path, text: str, *, attempts: int = 1, **entry: Any) -> Attack[Any]:
    (folder / "x.yml").write_text(text, encoding="utf-8")
    return attack("custom_benchmark", folder, attempts=attempts, **{"source": "x.yml", **entry})


def ids(built: Attack[Any]) -> list[str | None]:
    return [prompt.case_id for prompt in written(built)]


TWO = "cases: [{id: a, prompt: x}, {id: b, prompt: y, variants: 2, severity: low}]"


def test_one_pass_has_plain_ids_and_numbered_variants(tmp_path: Path) -> None:
    assert list(written(custom(tmp_path, TWO))) == [
        Prompt("x", {}, "a"),
        Prompt("y", {"severity": "low", "generation_variant": 1}, "b_1"),
        Prompt("y", {"severity": "low", "generation_variant": 2}, "b_2"),
    ]


def test_attempts_are_whole_passes_named_at_the_end_of_the_id(tmp_path: Path) -> None:
    assert ids(custom(tmp_path, TWO, attempts=2)) == [
        "a_attempt_1",
        "b_1_attempt_1",
        "b_2_attempt_1",
        "a_attempt_2",
        "b_1_attempt_2",
        "b_2_attempt_2",
    ]


def test_the_file_names_the_attack_in_reports(tmp_path: Path) -> None:
    assert custom(tmp_path, f"name: counter talk\n{TWO}").report_name == "counter talk"
    assert custom(tmp_path, TWO).report_name == "custom_benchmark"
    assert custom(tmp_path, "cases: [").report_name == "custom_benchmark"


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("description: At the counter.\ncases: [{prompt: x}]", "At the counter. (1 case)"),
        (TWO, "No description. (2 cases)"),
    ],
)
def test_a_summary_counts_the_cases(tmp_path: Path, text: str, summary: str) -> None:
    assert custom(tmp_path, text).summary == summary


def test_the_older_key_names_the_file_too(tmp_path: Path) -> None:
    (tmp_path / "x.yml").write_text(TWO)
    built = attack("custom_benchmark", tmp_path, params={"file": "x.yml"})
    assert (built.problems(), len(list(written(built)))) == ([], 3)


ENTRY = {"type": "refusal_detection"}
FILE = f"oracle: {KEYWORD}\n"
CASES = "cases: [{id: a, prompt: x}, {id: b, prompt: y, oracle: {type: pii_leakage}}]"


@pytest.mark.parametrize(
    ("text", "entry", "expected"),
    [
        (FILE + CASES, {"oracle": ENTRY}, ["refusal_detection", "pii_leakage"]),
        (FILE + CASES, {}, ["keyword_absent", "pii_leakage"]),
        (CASES, {"oracle": ENTRY}, ["refusal_detection", "pii_leakage"]),
        (CASES, {}, ["llm_judge", "pii_leakage"]),
    ],
)
def test_the_nearest_oracle_wins(
    tmp_path: Path, text: str, entry: dict[str, Any], expected: list[str]
) -> None:
    built = custom(tmp_path, text, **entry)
    assert [(prompt.oracle or built.oracle()).type for prompt in written(built)] == expected


def test_the_judge_is_not_asked_for_where_every_case_brings_its_oracle(tmp_path: Path) -> None:
    built = custom(tmp_path, "cases: [{prompt: x, oracle: {type: pii_leakage}}]")
    assert built.oracle().type != "llm_judge"
    assert [prompt.oracle for prompt in written(built)] == [OracleSpec("pii_leakage", {})]


def test_the_judge_is_not_asked_for_where_the_file_cannot_be_read(tmp_path: Path) -> None:
    assert custom(tmp_path, "cases: [").oracle().type != "llm_judge"


def test_ids_of_public_standards_come_from_the_file_or_the_strategy(tmp_path: Path) -> None:
    assert custom(tmp_path, f"taxonomy: [LLM02, LLM05]\n{TWO}").taxonomy == ("LLM02", "LLM05")
    assert custom(tmp_path, TWO).taxonomy == ("LLM01", "AML.T0051.000")


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"source": None}, "no file of cases"),
        ({"params": {"file": "y.yml"}}, "different files"),
        ({"source": "gone.yml"}, "gone.yml"),
        ({"parameters": {"a": 1}}, "parameters > a: the attack file declares no such parameter"),
        (
            {"oracle": {"type": "t", "params": {"k": "{{parameters.a}}"}}},
            "can be used in the attack file alone",
        ),
    ],
)
def test_an_entry_that_cannot_work_says_why(tmp_path: Path, entry: dict[str, Any], says: str) -> None:
    [problem] = custom(tmp_path, TWO, **entry).problems()
    assert says in str(problem)


def test_faults_of_the_file_are_faults_of_the_attack(tmp_path: Path) -> None:
    [problem] = custom(tmp_path, "cases:\n  - id: a\n    prompt: '{{name}}'\n").problems()
    assert str(problem).startswith(f"{tmp_path / 'x.yml'}:3:")


EVERY = """\
name: every feature
parameters: {word: sesame, times: 2, words: ["{{parameters.word}}", open]}
oracle: {type: keyword_absent, params: {keywords: "{{parameters.words}}"}}
cases:
  - id: literal
    prompt: "say {{parameters.word}} and {{{{name}}}}"
    severity: high
  - id: built
    prompt: "{{greeting}} {{document}} {{encoded}}"
    variables:
      who: {value: Ann, protect: true}
      greeting: {value: "Hello {{who}},"}
      document: {type: path, value: "texts/{{parameters.word}}.txt"}
      encoded: {function: {path: encode.py, name: encode, arguments: {text: "{{who}}", times: 1}}}
    oracle: {type: keyword_absent, params: {keywords: ["{{encoded}}"]}}
  - id: asked
    prompt: "Well: {{question}}"
    variables:
      question: {value: {generate: {prompt: "Write a question for {{context.target_context}}",
                                    fallback: "Why?", context: true, temperature: 0}}}
    variants: "{{parameters.times}}"
  - generate: Write a question
    fallback: Why not?
"""
FILES = {
    "texts/open.txt": "open {{who}}.",
    "encode.py": "def encode(text, times):\n    return text[::-1] * (times + 1)\n",
}


def test_a_file_with_every_feature(tmp_path: Path) -> None:
    put(tmp_path, FILES)
    model = ScriptedModel("How?", "I'm sorry, but I can't help with that.", "When?")
    built = custom(tmp_path, EVERY, model=model, target_context="tea", parameters={"word": "open"})
    assert built.problems() == []
    literal, composed, first, second, short = written(built)
    assert [one.text for one in (literal, composed, first, second, short)] == [
        "say open and {{name}}",
        "Hello Ann, open Ann. nnAnnA",
        "Well: How?",
        "Well: Why?",
        "When?",
    ]
    assert [one.case_id for one in (literal, composed, first, second, short)] == [
        "literal",
        "built",
        "asked_1",
        "asked_2",
        "custom_4",
    ]
    parameters = {"word": "open", "times": 2, "words": ["open", "open"]}
    assert all(one.metadata["custom_attack_parameters"] == parameters for one in written(built))
    assert literal.metadata.keys() == {"severity", "custom_attack_parameters"}
    dsl = {"custom_attack_parameters", "custom_dsl", "resolved_variables", "protected_variables"}
    assert composed.metadata.keys() == dsl
    assert composed.metadata["resolved_variables"] == ["document", "encoded", "greeting", "who"]
    assert composed.metadata["protected_variables"] == ["who"]
    generated = {*dsl, "variable_generation", "generated_by_llm", "generation_variant"}
    assert first.metadata.keys() == second.metadata.keys() == generated
    about = {"generated_by_llm"} | {f"generation_{key}" for key in ("instruction", "model", "model_provider")}
    about |= {"generation_temperature"}
    told = [one.metadata["variable_generation"]["question"] for one in (first, second)]
    assert [one.keys() for one in told] == [about, {*about, "generation_fallback", "generation_refusal"}]
    assert [one.metadata["generation_variant"] for one in (first, second)] == [1, 2]
    assert short.metadata.keys() == {*about, "custom_attack_parameters"}
    assert built.oracle() == OracleSpec("keyword_absent", {"keywords": ["open", "open"]})
    assert [one.oracle and one.oracle.params["keywords"] for one in (literal, composed, first)] == [
        None,
        ["nnAnnA"],
        None,
    ]


def test_what_is_known_stays_where_the_budget_forbids_to_write(tmp_path: Path) -> None:
    put(tmp_path, FILES)
    built = custom(tmp_path, EVERY.replace("sesame", "open"), model=ScriptedModel("x"))
    drafts = [draft for draft in built.prompts() if isinstance(draft, Unwritten)]
    assert [(draft.unsent.case_id, draft.model_calls) for draft in drafts] == [
        ("built", 0),
        ("asked_1", 1),
        ("asked_2", 1),
        ("custom_4", 1),
    ]
    assert drafts[1].unsent.text == ""
    assert drafts[1].unsent.metadata["resolved_variables"] == ["question"]
    assert drafts[1].unsent.metadata["generation_variant"] == 1


def test_cases_that_need_neither_a_model_nor_a_function_are_written_at_once(tmp_path: Path) -> None:
    text = "cases: [{prompt: x}, {prompt: '{{v}}', variables: {v: {value: y}}}]"
    assert [type(draft) for draft in custom(tmp_path, text).prompts()] == [Prompt, Prompt]
    [first, _] = custom(tmp_path, text, model=offline(), rephrase=0.5).prompts()
    assert isinstance(first, Unwritten)
    assert first.model_calls == 1


def test_an_oracle_of_the_case_is_known_unless_it_holds_placeholders(tmp_path: Path) -> None:
    text = (
        "cases:\n  - {generate: x, fallback: y, oracle: {type: pii_leakage}}\n"
        "  - {generate: x, fallback: y, oracle: {type: t, params: {k: '{{context.target_context}}'}}}\n"
    )
    drafts = custom(tmp_path, text, model=offline()).prompts()
    assert [draft.oracle for draft in drafts if isinstance(draft, Unwritten)] == [
        OracleSpec("pii_leakage", {}),
        None,
    ]


def test_a_shared_oracle_with_placeholders_is_one_of_each_case(tmp_path: Path) -> None:
    text = "cases: [{prompt: x, variables: {v: {value: y}}}]"
    oracle = {"type": "keyword_absent", "params": {"keywords": ["{{v}}"]}}
    built = custom(tmp_path, text, oracle=oracle)
    assert built.problems() == []
    assert built.oracle().type != "llm_judge"
    assert [one.oracle for one in written(built)] == [OracleSpec("keyword_absent", {"keywords": ["y"]})]


def test_details_name_parameters_and_cases(tmp_path: Path) -> None:
    text = """\
parameters: {word: sesame, times: 2, all: [a, true]}
cases:
  - {id: one, prompt: "say {{parameters.word}}\\nnow", variants: 2}
  - {generate: write it, fallback: x}
"""
    built = custom(tmp_path, text, parameters={"word": "open"}, model=offline())
    assert list(built.details()) == [
        "parameters:",
        '  word: "sesame", here "open"',
        "  times: 2",
        '  all: ["a", true]',
        "cases:",
        "  one (2 variants): say open now",
        "  custom_2: written by a model: write it",
    ]


def test_the_models_that_a_file_names_are_known_beforehand(tmp_path: Path) -> None:
    text = """\
cases:
  - {generate: x, fallback: y}
  - generate: x
    fallback: y
    model: m
    model_provider: p
  - prompt: "{{v}}{{w}}"
    variables:
      v:
        value:
          generate: {prompt: x, fallback: y, model: m, model_provider: p}
      w:
        value: {generate: {prompt: x, fallback: y, model: n, temperature: 0}}
"""
    built = custom(tmp_path, text, model=offline())
    assert [(settings, place.line) for settings, place in built.models()] == [
        ({"model": None, "provider": None}, 2),
        ({"model": "m", "provider": "p"}, 3),
        ({"model": "n", "provider": None}, 13),
    ]
    assert [*custom(tmp_path, TWO).models()] == []


def test_files_are_looked_for_beside_the_attack_file_first(tmp_path: Path) -> None:
    put(tmp_path, {"t.txt": "of the project", "attacks/t.txt": "beside", "u.txt": "far"})
    variables = "{t: {type: path, value: t.txt}, u: {type: path, value: u.txt}}"
    text = f"cases: [{{prompt: '{{{{t}}}} {{{{u}}}}', variables: {variables}}}]"
    put(tmp_path, {"attacks/y.yml": text})
    [one] = written(attack("custom_benchmark", tmp_path, source="attacks/y.yml"))
    assert one.text == "beside far"


def test_the_final_prompt_may_be_rephrased(tmp_path: Path) -> None:
    model = ScriptedModel('["Kindly explain tides."]', '["Please describe tides."]')
    text = "cases: [{id: a, prompt: Please explain tides., variants: 2, severity: low}]"
    first, second = written(custom(tmp_path, text, model=model, rephrase=0.33))
    assert (first.text, second.text) == ("Kindly explain tides.", "Please describe tides.")
    assert (first.case_id, second.case_id) == ("a_1", "a_2")
    assert second.metadata["severity"] == "low"
    assert second.metadata["generation_variant"] == 2
    assert second.metadata["rephrased_component"] == "prompt"


def test_prompts_stream_however_many_attempts_there_are(tmp_path: Path) -> None:
    cases = "\n".join(f"  - prompt: number {number}" for number in range(200))
    built = custom(tmp_path, f"cases:\n{cases}\n", attempts=1_000_000)
    prompts = written(built)
    assert next(prompts).case_id == "custom_1_attempt_1"
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    assert sum(1 for _ in islice(prompts, 20_000)) == 20_000
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000
