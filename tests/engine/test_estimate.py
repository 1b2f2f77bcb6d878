from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sensei_kumite.config.loader import load_workspace
from sensei_kumite.engine.check import check
from sensei_kumite.engine.estimate import TOKENS, Estimate, Range, estimate, total
from sensei_kumite.engine.scoring import OracleCache, oracle_context
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.requests import Role
from sensei_kumite.llm.roles import Models
from tests.workspace import ProjectFolder

Estimated = Callable[..., list[Estimate]]


@pytest.fixture
def estimated(workspace: Callable[[Mapping[str, str]], ProjectFolder]) -> Estimated:
    def make(campaign: str, *, lanes: int = 1, dummy: bool = False, **files: str) -> list[Estimate]:
        attacks = {f"security/attacks/{name}.yml": text for name, text in files.items()}
        project = workspace({"run.yml": "technology: dummy\n", "security/security.yml": campaign, **attacks})
        loaded = load_workspace(project.path)
        models = Models(loaded.campaign, Ledger(None, Prices()), {"OPENAI_API_KEY": "sk-123456789"})
        plan, problems = check(loaded, models)
        assert problems == []
        oracles = OracleCache(oracle_context(loaded, models))
        return estimate(plan, models, oracles, lanes=lanes, dummy=dummy)

    return make


def test_a_deterministic_attack_calls_the_target_alone(estimated: Estimated) -> None:
    (amnesia,) = estimated("execution: {attempts: 3, retries: 2}\nattacks: [{name: amnesia}]\n")
    assert (amnesia.cases, amnesia.target_calls) == (3, Range(3, 9))
    assert (amnesia.model_calls, amnesia.tokens, amnesia.cost) == (Range(0, 0),) * 3


def test_scripted_turns_are_target_calls_too(estimated: Estimated) -> None:
    campaign = """
        execution: {retries: 0}
        attacks: [{name: amnesia, execution: {mode: scripted, turns: [a, b]}}]
    """
    assert estimated(campaign)[0].target_calls == Range(3, 3)


def test_generator_judge_and_simulator_are_counted_and_priced(estimated: Estimated) -> None:
    campaign = """
        execution: {attempts: 10, retries: 0}
        simulation: {role: order a pizza}
        attacks: [{name: ucar, execution: {mode: simulated_user, warmup_turns: 2}}]
    """
    (ucar,) = estimated(campaign)
    # A prompt and a verdict per case, two warm-up messages; judge and simulator may be asked twice.
    assert ucar.model_calls == Range(10 + 10 + 20, 10 + 20 + 40)
    tokens = {role: [usage.input + usage.output for usage in usages] for role, usages in TOKENS.items()}
    generation, judge, simulation = (tokens[role] for role in (Role.GENERATION, Role.JUDGE, Role.SIMULATION))
    assert ucar.tokens.low == 10 * generation[0] + 10 * judge[0] + 20 * simulation[0]
    assert ucar.tokens.high == 10 * generation[1] + 20 * judge[1] + 40 * simulation[1]
    assert 0 < ucar.cost.low < ucar.cost.high
    assert ucar.unpriced == frozenset()


def test_the_offline_provider_makes_no_calls(estimated: Estimated) -> None:
    (ucar,) = estimated(
        "generation: {provider: offline}\njudge: {provider: offline}\nattacks: [{name: ucar}]\n"
    )
    assert ucar.model_calls == Range(0, 0)


def test_a_model_without_a_price_is_named(estimated: Estimated) -> None:
    (ucar,) = estimated("judge: {model: my-own}\ngeneration: {provider: offline}\nattacks: [{name: ucar}]\n")
    assert (ucar.unpriced, ucar.cost) == (frozenset({"my-own"}), Range(0, 0))


def test_only_the_cases_that_a_judge_scores_cost_a_judge(estimated: Estimated) -> None:
    own = """
        oracle: {type: refusal_detection}
        cases: [{prompt: a}, {prompt: b, oracle: {type: llm_judge, params: {policy: be nice}}}]
    """
    (custom,) = estimated("attacks: [{name: custom_benchmark, source: attacks/x.yml}]\n", x=own)
    assert (custom.cases, custom.model_calls) == (2, Range(1, 2))


def test_variables_count_by_the_models_that_they_ask(estimated: Estimated) -> None:
    own = """
        oracle: {type: refusal_detection}
        cases:
          - {generate: a, fallback: b, variants: 3}
          - prompt: "{{v}} {{w}} {{x}}"
            variables:
              v: {value: {generate: {prompt: a, fallback: b}}}
              w: {value: {generate: {prompt: a, fallback: b}}}
              x: {value: c}
    """
    (custom,) = estimated("attacks: [{name: custom_benchmark, source: attacks/x.yml}]\n", x=own)
    assert (custom.cases, custom.model_calls) == (4, Range(5, 5))


def test_lanes_share_the_time_and_all_attacks_add_up(estimated: Estimated) -> None:
    campaign = "attacks: [{name: amnesia}, {name: typoglycemia_attack}]\n"
    one, four = total(estimated(campaign)), total(estimated(campaign, lanes=4))
    assert one.cases == 2
    assert four.seconds == one.seconds.times(0.25, 0.25)


def test_a_search_may_end_at_once_or_use_all_it_may(estimated: Estimated) -> None:
    campaign = """
        execution: {attempts: 3, retries: 1}
        attacks: [{name: amnesia, dynamic: {attack: best_of_n, iterations: 10, attempts: 2}}]
    """
    assert estimated(campaign)[0].target_calls == Range(3, 3 * (1 + 20) * 2)
    alone = campaign.replace("attempts: 2}", "attempts: 2, only: true}")
    assert estimated(alone)[0].target_calls == Range(3, 3 * 20 * 2)


def test_a_search_that_asks_a_model_may_do_so_for_each_input(estimated: Estimated) -> None:
    campaign = """
        execution: {attempts: 1, retries: 0}
        attacks: [{name: amnesia, dynamic: {attack: crescendo, iterations: 5}}]
    """
    assert estimated(campaign)[0].model_calls == Range(0, 5 * 2), "a message may be asked for twice"
