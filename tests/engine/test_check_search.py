"""What is wrong with a `dynamic` block is said with its place, before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from sensei_kumite.config.loader import Overrides, load_workspace
from sensei_kumite.engine.check import check
from sensei_kumite.engine.plan import Plan
from sensei_kumite.errors import Problem
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.roles import Models
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]
Checked = Callable[..., tuple[Plan, list[Problem]]]
LEGACY = "def attack(entry, target_module, call_judge, max_iterations): return 0, False, '', ''\n"


@pytest.fixture
def checked(workspace: Workspace) -> Checked:
    def make(search: str, *, typed: Mapping[str, object] | None = None, **more: str) -> object:
        extra = "".join(f", {key}: {value}" for key, value in more.items() if key != "generation")
        project = workspace(
            {
                "run.yml": "technology: dummy\n",
                "security/security.yml": f"attacks:\n  - {{name: amnesia{search}{extra}}}\n"
                f"generation: {more.get('generation', '{provider: offline}')}\n",
                "security/attacks/legacy.py": LEGACY,
            }
        )
        loaded = load_workspace(project.path, overrides=Overrides(dynamic=typed or {}))
        models = Models(loaded.campaign, Ledger(None, Prices()), {})
        return check(loaded, models)

    return make


def test_the_search_of_an_entry_is_planned(checked: Checked) -> None:
    plan, problems = checked(", dynamic: {attack: best_of_n, iterations: 7, options: noise=0.5, attempts: 2}")
    assert problems == []
    search = plan.attacks[0].search
    assert search is not None
    assert (search.attack.name, search.iterations, search.options, search.attempts) == (
        "best_of_n", 7, "noise=0.5", 2
    )  # fmt: skip


def test_an_entry_without_one_has_none(checked: Checked) -> None:
    plan, problems = checked("")
    assert problems == []
    assert plan.attacks[0].search is None


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ("{attack: best_of_m}", "Did you mean 'best_of_n'"),
        ("{attack: best_of_n, options: noise=loud}", "noise"),
        ("{attack: best_of_n, options: nois=0.1}", "noise"),
        ("{attack: attacks/nowhere.py}", "nowhere.py"),
    ],
)
def test_problems_stand_where_they_were_written(checked: Checked, search: str, message: str) -> None:
    _, problems = checked(f", dynamic: {search}")
    assert len(problems) == 1
    assert message in str(problems[0])
    assert "security.yml:2" in str(problems[0])
    assert "attacks[1] (amnesia) > dynamic" in str(problems[0])


def test_a_script_that_cannot_trace_is_warned_of_once(checked: Checked) -> None:
    _, problems = checked(", dynamic: {attack: legacy, return_all_attempts: true}")
    assert [problem.severity for problem in problems] == ["warning"]
    assert "legacy cannot return all attempts" in problems[0].message


def test_only_does_not_go_with_a_simulated_user(checked: Checked) -> None:
    execution = "{mode: simulated_user, warmup_turns: 1}"
    _, problems = checked(", dynamic: {attack: best_of_n, only: true}", execution=execution)
    assert any("only leaves out the first attempt" in problem.message for problem in problems)


def test_a_search_that_asks_a_model_needs_one(checked: Checked) -> None:
    _, problems = checked(", dynamic: {attack: crescendo}", generation="{enabled: false}")
    assert [problem.message for problem in problems] == [
        "attacks[1] (amnesia) > dynamic: crescendo needs a generation model."
    ]


def test_leading_up_is_not_judged_by_refusals_alone(checked: Checked) -> None:
    _, problems = checked(", dynamic: {attack: crescendo}", oracle="{type: refusal_detection}")
    assert [problem.severity for problem in problems] == ["warning"]
    assert "do not ask for anything forbidden" in problems[0].message
    _, problems = checked(", dynamic: {attack: best_of_n}", oracle="{type: refusal_detection}")
    assert problems == []


def test_the_command_line_replaces_the_search_or_changes_it(checked: Checked) -> None:
    plan, problems = checked(
        ", dynamic: {attack: best_of_n, iterations: 7}", typed={"attack": "encodings", "iterations": 3}
    )
    assert problems == []
    assert plan.attacks[0].search is not None
    assert (plan.attacks[0].search.attack.name, plan.attacks[0].search.iterations) == ("encodings", 3)
    plan, _ = checked(", dynamic: {attack: best_of_n, iterations: 7}", typed={"return_all_attempts": True})
    assert plan.attacks[0].search is not None
    assert (plan.attacks[0].search.iterations, plan.attacks[0].search.traces) == (7, True)


def test_a_mistake_on_the_command_line_is_told_once(checked: Checked) -> None:
    _, problems = checked("}\n  - {name: ucar", typed={"attack": "nothing_like_that"})
    ours = [problem for problem in problems if "nothing_like_that" in problem.message]
    assert len(ours) == 1
    assert ours[0].message.startswith("--dynamic: ")


def test_settings_of_the_command_line_need_a_search_to_change(checked: Checked) -> None:
    _, problems = checked("", typed={"iterations": 3, "return_all_attempts": True})
    assert [str(problem) for problem in problems] == [
        "--attack-iterations, --attack-return-all-attempts: no entry of the campaign has a dynamic attack "
        "that this could change. Add --dynamic NAME."
    ]


def test_a_problem_of_the_file_keeps_its_place_whatever_was_typed(checked: Checked) -> None:
    _, problems = checked(", dynamic: {attack: best_of_n, options: noise=loud}", typed={"iterations": 3})
    assert "security.yml:2" in str(problems[0])


def test_lists_of_turns_need_a_search_that_plays_them(workspace: Workspace) -> None:
    def problems(search: str) -> list[str]:
        project = workspace(
            {
                "run.yml": "technology: dummy\n",
                "security/security.yml": "attacks:\n"
                f"  - {{name: dynamic, source: attacks/talks.yml, dynamic: {{attack: {search}}}}}\n",
                "security/attacks/talks.yml": "- {id: a, content: [one, two], judge_args: secret}\n",
            }
        )
        loaded = load_workspace(project.path)
        models = Models(loaded.campaign, Ledger(None, Prices()), {})
        return [problem.message for problem in check(loaded, models)[1]]

    assert problems("multi_turn") == []
    (problem,) = problems("best_of_n")
    assert problem.endswith("best_of_n sends one text at a time, and attacks/talks.yml has lists of turns.")


def test_a_script_that_can_trace_is_not_warned_of(checked: Checked) -> None:
    plan, problems = checked(", dynamic: {attack: best_of_n, return_all_attempts: true}")
    assert problems == []
    assert plan.attacks[0].search is not None and plan.attacks[0].search.traces


@pytest.mark.parametrize(
    ("search", "execution"),
    [
        ("\n    attack: best_of_m", "direct"),
        ("attack: best_of_n,\n    options: noise=loud", "direct"),
        ("attack: legacy,\n    return_all_attempts: true", "direct"),
        ("attack: best_of_n,\n    only: true", "simulated_user, warmup_turns: 1"),
    ],
)
def test_a_problem_stands_at_its_key(checked: Checked, search: str, execution: str) -> None:
    _, problems = checked(f", dynamic: {{{search}}}", execution=f"{{mode: {execution}}}")
    (found,) = (problem for problem in problems if "dynamic: " in problem.message)
    assert found.place is not None and found.place.line == 3
