import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sensei_kumite.attacks.aim_jailbreak import TEMPLATE, read_tasks
from sensei_kumite.attacks.base import Attack, Prompt
from tests.attacks.build import ScriptedModel, attack, first_prompt, written


def jailbreak(
    folder: Path, tasks: bytes = b"one\ntwo\nthree\n", *, attempts: int = 3, seed: int = 0, **params: Any
) -> Attack[Any]:
    (folder / "tasks.txt").write_bytes(tasks)
    params = {"task_file": "tasks.txt", **params}
    return attack("aim_jailbreak", folder, attempts=attempts, seed=seed, params=params)


def lines(built: Attack[Any]) -> list[int]:
    return [prompt.metadata["task_line"] for prompt in written(built)]


def test_tasks_fill_the_story_in_the_order_of_the_file(tmp_path: Path) -> None:
    prompts = list(written(jailbreak(tmp_path, template="Story: {attack_task}! {x}", attempts=4)))
    assert [prompt.text for prompt in prompts] == [
        "Story: one! {x}",
        "Story: two! {x}",
        "Story: three! {x}",
        "Story: one! {x}",
    ]


def test_metadata_says_where_a_task_came_from(tmp_path: Path) -> None:
    [prompt] = written(jailbreak(tmp_path, b"# a comment\n\none\n", attempts=1))
    assert prompt.metadata == {
        "generated_by_llm": False,
        "generated_task": "one",
        "generation_stage": "task_file",
        "task_source_file": str(tmp_path / "tasks.txt"),
        "task_line": 3,
        "task_order": "sequential",
    }


def test_a_byte_order_mark_windows_line_ends_comments_and_blank_lines_are_no_tasks(tmp_path: Path) -> None:
    built = jailbreak(
        tmp_path, b"\xef\xbb\xbf# first\r\n\r\n  one  \r\n\t# indented\r\ntwo # not a comment", attempts=2
    )
    assert [prompt.metadata["generated_task"] for prompt in written(built)] == ["one", "two # not a comment"]
    assert lines(built) == [3, 5]


@given(st.text("{}%s$\\0attack_task ñ", min_size=1).filter(str.strip))
def test_no_task_breaks_the_template(tmp_path_factory: pytest.TempPathFactory, task: str) -> None:
    folder = tmp_path_factory.mktemp("tasks")
    [prompt] = written(jailbreak(folder, f"x{task}".encode(), attempts=1))
    before, after = TEMPLATE.split("{attack_task}")
    assert prompt.text == f"{before}{f'x{task}'.strip()}{after}"


def test_a_random_order_shuffles_whole_rounds(tmp_path: Path) -> None:
    tasks = "".join(f"task {number}\n" for number in range(8)).encode()
    order = lines(jailbreak(tmp_path, tasks, attempts=24, task_order="random", task_seed=4))
    rounds = [order[:8], order[8:16], order[16:]]
    assert [sorted(one) for one in rounds] == [list(range(1, 9))] * 3
    assert len({tuple(one) for one in [*rounds, list(range(1, 9))]}) > 2


@pytest.mark.parametrize("seeds", [{"task_seed": 4, "seed": 1}, {"seed": 5}])
def test_a_random_order_repeats_with_its_seed(tmp_path: Path, seeds: dict[str, int]) -> None:
    tasks = "".join(f"task {number}\n" for number in range(8)).encode()
    first, again, other = (
        lines(jailbreak(tmp_path, tasks, attempts=16, task_order="random", **one))
        for one in (seeds, seeds, {"seed": 77})
    )
    assert first == again != other


def test_a_seed_of_its_own_wins_over_the_seed_of_the_run(tmp_path: Path) -> None:
    orders = [
        lines(jailbreak(tmp_path, attempts=12, task_order="random", task_seed=4, seed=seed))
        for seed in (1, 2)
    ]
    assert orders[0] == orders[1]


class TestWithoutATaskFile:
    def test_a_model_writes_the_task(self) -> None:
        prompt = first_prompt("aim_jailbreak", "Cheat.", params={"template": "AIM: {attack_task}"})
        assert prompt.text == "AIM: Cheat."
        assert prompt.metadata == {
            "generated_by_llm": True,
            "generated_task": "Cheat.",
            "generation_stage": "attack_task",
        }

    def test_it_is_asked_as_the_campaign_says(self) -> None:
        model = ScriptedModel("x")
        wish = "Write a task about chess."
        list(written(attack("aim_jailbreak", model=model, params={"task_generation_prompt": wish})))
        assert wish in model.told
        assert model.requests[0].facts["instruction"] == wish

    def test_only_then_is_a_model_needed(self, tmp_path: Path) -> None:
        assert attack("aim_jailbreak").needs_generation
        assert not jailbreak(tmp_path).needs_generation

    def test_tasks_of_a_file_need_none(self, tmp_path: Path) -> None:
        assert all(isinstance(draft, Prompt) for draft in jailbreak(tmp_path).prompts())


class TestRephrasing:
    def test_the_story_is_rephrased_and_the_task_is_not(self, tmp_path: Path) -> None:
        (tmp_path / "tasks.txt").write_text("one {attack_task}\n")
        story = "Once upon a time a machine was asked: {attack_task}"
        model = ScriptedModel(json.dumps(["Long ago a machine was asked: {attack_task}"]))
        params = {"task_file": "tasks.txt", "template": story}
        built = attack("aim_jailbreak", tmp_path, model=model, rephrase=0.5, params=params)
        [prompt] = written(built)
        assert prompt.text == "Long ago a machine was asked: one {attack_task}"
        assert prompt.metadata["rephrased_component"] == "template"
        assert prompt.metadata["original_rephrased_text"] == story
        assert prompt.metadata["task_line"] == 1

    def test_a_written_task_is_told_in_a_rephrased_story(self) -> None:
        answers = ("Cheat.", json.dumps(["Long ago somebody asked: {attack_task}"]))
        params = {"template": "Once upon a time somebody asked: {attack_task}"}
        prompt = first_prompt("aim_jailbreak", *answers, rephrase=0.5, params=params)
        assert prompt.text == "Long ago somebody asked: Cheat."
        assert prompt.metadata["generated_task"] == "Cheat."
        assert prompt.metadata["rephrased_by_llm"] is True

    def test_a_story_that_lost_the_place_of_the_task_is_not_used(self, tmp_path: Path) -> None:
        (tmp_path / "tasks.txt").write_text("one\n")
        params = {"task_file": "tasks.txt", "template": "Once upon a time: {attack_task}"}
        model = ScriptedModel('["Long ago: what now?"]')
        built = attack("aim_jailbreak", tmp_path, model=model, rephrase=0.5, params=params)
        [prompt] = written(built)
        assert prompt.text == "Once upon a time: one"
        assert "{attack_task}" in prompt.metadata["rephrase_fallback"]


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "no task"), (b"# only\n\n", "no task"), (b"caf\xe9\n", "UTF-8")],
)
def test_a_file_without_usable_tasks_is_a_problem_with_its_place(
    tmp_path: Path, content: bytes, says: str
) -> None:
    [problem] = jailbreak(tmp_path, content).problems()
    assert says in problem.message
    assert problem.place is not None
    assert problem.place.file == tmp_path / "tasks.txt"


def test_a_folder_in_place_of_the_file_is_a_problem(tmp_path: Path) -> None:
    [problem] = attack("aim_jailbreak", tmp_path.parent, params={"task_file": tmp_path.name}).problems()
    assert "cannot be read" in problem.message


def test_a_file_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    [problem] = attack("aim_jailbreak", tmp_path, params={"task_file": "gone.txt"}).problems()
    assert "gone.txt" in problem.message


def test_a_sound_file_has_no_problems(tmp_path: Path) -> None:
    assert jailbreak(tmp_path).problems() == []


@pytest.mark.parametrize(
    "params",
    [{"template": "no place for it"}, {"task_order": "shuffled"}, {"task_seed": "4"}, {"tasks": "x"}],
)
def test_parameters_that_cannot_work_are_refused(params: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        attack("aim_jailbreak", params=params)


def test_line_numbers_are_those_an_editor_shows(tmp_path: Path) -> None:
    file = tmp_path / "tasks.txt"
    file.write_text("a\x0bb\u2028c\n\nd\n", encoding="utf-8")
    assert [(task.text, task.line) for task in read_tasks(file)] == [("a\x0bb\u2028c", 1), ("d", 3)]
