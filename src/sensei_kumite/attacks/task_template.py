"""Attacks in two steps: a task, and the template that it is put into."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from sensei_kumite.config.fields import Text

PLACEHOLDER = "{attack_task}"


def _holds_the_task(template: str) -> str:
    if PLACEHOLDER not in template:
        raise ValueError(f"must contain {PLACEHOLDER}, the place of the task")
    return template


TaskTemplate = Annotated[Text, AfterValidator(_holds_the_task)]


def _asks_for_something(prompt: str) -> str:
    if not prompt.strip():
        raise ValueError("is empty; say what task the model should write, or remove the key")
    return prompt


TaskInstruction = Annotated[Text, AfterValidator(_asks_for_something)]


def fill(template: str, task: str) -> str:
    """The template with the task in its place; braces and percent signs of either mean nothing."""
    return template.replace(PLACEHOLDER, task)
