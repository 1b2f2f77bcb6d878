from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

import pytest

from sensei_kumite.config.loader import Workspace as Loaded
from sensei_kumite.config.loader import load_workspace
from sensei_kumite.engine.check import check
from sensei_kumite.engine.plan import expand, random_source
from sensei_kumite.engine.scoring import OracleCache, oracle_context
from sensei_kumite.errors import Problem
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.roles import Models
from sensei_kumite.models import Case, OracleSpec
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]
Planned = Callable[..., tuple[list[Case], list[Problem]]]


@pytest.fixture
def planned(workspace: Workspace) -> Planned:
    """The cases and problems of a security.yml, given as text."""

    def plan(campaign: str, *only: str, **files: str) -> tuple[list[Case], list[Problem]]:
        attacks = {f"security/attacks/{name}.yml": text for name, text in files.items()}
        project = workspace({"run.yml": "technology: dummy\n", "security/security.yml": campaign, **attacks})
        loaded = load_workspace(project.path)
        found, problems = check(loaded, models_of(loaded), only)
        every = [*loaded.problems, *problems]
        return ([] if every else list(expand(found, lambda _: Decimal(0)))), every

    return plan


def models_of(loaded: Loaded, **environment: str) -> Models:
    return Models(loaded.campaign, Ledger(None, Prices()), environment, seed=1)


def only_problem(problems: list[Problem]) -> str:
    (problem,) = problems
    return str(problem)


def test_cases_come_in_configured_order_numbered_per_entry(
    planned: Planned,
) -> None:
    attacks = "[{name: amnesia}, {name: amnesia, enabled: false}, {name: amnesia}]"
    cases, _ = planned(f"execution: {{attempts: 2}}\nattacks: {attacks}\n")
    assert [(case.entry, case.case_id, case.attempt) for case in cases] == [
        (0, "amnesia_1", 1),
        (0, "amnesia_2", 2),
        (2, "amnesia_1", 1),
        (2, "amnesia_2", 2),
    ]
    assert all("AML.T0051.000" in case.metadata["taxonomy"] for case in cases)


def test_an_oracle_of_the_entry_replaces_the_default(
    planned: Planned,
) -> None:
    cases, _ = planned("attacks: [{name: amnesia, oracle: {type: refusal_detection}}]\n")
    assert cases[0].oracle == OracleSpec("refusal_detection", {})


def test_numbers_in_keywords_stay_as_typed(planned: Planned) -> None:
    campaign = """
        attacks:
          - name: amnesia
            oracle: {type: keyword_absent, params: {keywords: [007, 1.10]}}
          - name: amnesia
            oracle: {type: not, params: {oracle: {type: keyword_absent, params: {keywords: [0x1F]}}}}
          - {name: custom_benchmark, source: attacks/x.yml}
    """
    own = "cases: [{prompt: hi, oracle: {type: keyword_contains, params: {keywords: [012]}}}]\n"
    cases, _ = planned(campaign, x=own)
    assert cases[0].oracle.params == {"keywords": ["007", "1.10"]}
    assert cases[1].oracle.params["oracle"]["params"] == {"keywords": ["0x1F"]}
    assert cases[2].oracle.params == {"keywords": ["012"]}


def test_all_problems_are_found_at_once_each_with_its_place(
    planned: Planned,
) -> None:
    campaign = """\
attacks:
  - name: amnesai
  - name: amnesia
    params: {sufix: x}
  - name: amnesia
    oracle:
      type: keyword_absent
      params: {keyword: [x]}
  - name: amnesia
    oracle: {type: keyword_abset}
  - name: amnesia
    oracle: {type: regex_absent, params: {pattern: "("}}
  - name: ucar
    rephrase: 0.5
"""
    _, problems = planned(campaign)
    lines = {problem.place.line for problem in problems if problem.place}
    assert {2, 4, 8, 10, 12, 14} <= lines
    text = "\n".join(map(str, problems))
    for expected in ("'amnesia'", "sufix", "keywords", "'keyword_absent'", "pattern", "OPENAI_API_KEY"):
        assert expected in text


@pytest.mark.parametrize(
    ("entry", "role"),
    [
        ("{name: base64_injection}", "judge"),
        ("{name: amnesia, oracle: {type: llm_judge, params: {policy: be nice}}}", "judge"),
        (
            "{name: amnesia, oracle: {type: all_of, params: {oracles: "
            "[{type: llm_judge, params: {policy: be nice}}]}}}",
            "judge",
        ),
        ("{name: amnesia, rephrase: 0.4}", "generation"),
        ("{name: dan_jailbreak}", "generation"),
    ],
)
def test_a_model_without_a_key_is_found_before_the_run(planned: Planned, entry: str, role: str) -> None:
    _, problems = planned(f"attacks: [{entry}]\n")
    message = only_problem(problems)
    assert message.startswith("security/security.yml:1:") or "security.yml:1:" in message
    assert f"{role}:" in message and "OPENAI_API_KEY" in message and "offline" in message
    assert planned(f"{role}: {{provider: offline}}\nattacks: [{entry}]\n")[1] == []


def test_generated_attacks_need_a_generator(planned: Planned) -> None:
    _, problems = planned("generation: {enabled: false}\nattacks: [{name: dan_jailbreak}]\n")
    assert any("dan_jailbreak" in str(problem) and "enabled" in str(problem) for problem in problems)


def test_only_the_named_entries_are_planned(planned: Planned) -> None:
    campaign = """
        attacks:
          - {name: amnesia}
          - {name: typoglycemia_attack}
          - {name: custom_benchmark, source: attacks/x.yml}
    """
    own = "name: mine\noracle: {type: refusal_detection}\ncases: [{prompt: hi}]\n"
    cases, _ = planned(campaign, "amnesia", "mine", x=own)
    assert [case.attack for case in cases] == ["amnesia", "mine"]
    _, problems = planned(campaign, "amnesa", x=own)
    assert "Did you mean 'amnesia'?" in only_problem(problems)


def test_random_numbers_depend_on_seed_and_name_alone() -> None:
    assert random_source(1, "a").random() == random_source(1, "a").random()
    assert random_source(1, "a").random() != random_source(1, "b").random()
    assert random_source(1, "a").random() != random_source(2, "a").random()


def test_oracles_are_built_once_and_the_oldest_are_forgotten(workspace: Workspace) -> None:
    project = workspace({"run.yml": "", "security/security.yml": "attacks: [{name: amnesia}]\n"})
    loaded = load_workspace(project.path)
    cache = OracleCache(oracle_context(loaded, models_of(loaded)), size=2)
    specs = [OracleSpec("keyword_absent", {"keywords": [word]}) for word in "abc"]
    first = cache(specs[0])
    assert cache(OracleSpec("keyword_absent", {"keywords": ["a"]})) is first
    cache(specs[1])
    cache(specs[2])
    assert cache(specs[0]) is not first
