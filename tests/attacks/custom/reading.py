"""Custom attack files read without a campaign around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sensei_kumite.attacks.custom.document import CustomFile, Entry, read_custom_file
from sensei_kumite.attacks.custom.tools import Tools
from sensei_kumite.errors import Problem
from sensei_kumite.llm.requests import Model
from tests.attacks.build import context, offline

NAME = "x.yml"
ALONE = Entry()
"""An entry that says nothing about its file."""


def tools(folder: Path, model: Model | None = None, *, rephrase: float = 0.0, **more: Any) -> Tools:
    """What it takes to read files of `folder`; the offline provider writes where nobody else does."""
    run = replace(context(model or offline(), folder=folder), **more)
    return Tools.beside(folder / NAME, run, rephrase)


def put(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def read(folder: Path, text: str, entry: Entry = ALONE, **more: Any) -> CustomFile:
    """The attack file `text`."""
    put(folder, {NAME: text})
    return read_custom_file(folder / NAME, tools(folder, **more), entry)


def case(body: str, head: str = "") -> str:
    """An attack file with one case, `c`, of these lines."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{head}cases:\n  - id: c\n{lines}"


def told(problems: tuple[Problem, ...] | list[Problem]) -> list[str]:
    """Problems as people read them: the line, then what is wrong."""
    return [f"{problem.place.line if problem.place else None}: {problem.message}" for problem in problems]
