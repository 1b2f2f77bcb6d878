from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from sensei_kumite.attacks.aim_jailbreak import TEMPLATE, read_tasks
from sensei_kumite.attacks.base import Attack
from tests.attacks.build import attack, written


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


def test_without_a_task_file_it_says_what_is_missing() -> None:
    [problem] = attack("aim_jailbreak").problems()
    assert "task_file" in problem.message
    assert "not supported yet" in problem.message


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
