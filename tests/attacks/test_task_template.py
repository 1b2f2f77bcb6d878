from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from sensei_kumite.attacks.task_template import TaskInstruction, TaskTemplate, fill


@given(st.text("{}%s$\\0attack_task ñ"), st.lists(st.text("{}%s$\\0 a"), min_size=2, max_size=4))
def test_every_place_of_the_task_is_filled_with_it_as_it_is(task: str, around: list[str]) -> None:
    assert fill("{attack_task}".join(around), task) == task.join(around)


def test_a_task_that_looks_like_its_place_is_not_filled_again() -> None:
    assert fill("<{attack_task}>", "{attack_task}") == "<{attack_task}>"


@pytest.mark.parametrize(
    ("kind", "value"),
    [(TaskTemplate, "no place"), (TaskTemplate, "{Attack_Task}"), (TaskInstruction, " \n")],
)
def test_texts_that_cannot_work_are_refused(kind: Any, value: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)
