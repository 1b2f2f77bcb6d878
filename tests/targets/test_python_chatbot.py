"""Which part of a Python file is the chatbot, and what it takes."""

from __future__ import annotations

import textwrap
from pathlib import Path
from types import ModuleType

import pytest

from sensei_kumite.errors import ConfigurationError
from sensei_kumite.targets.python_chatbot import check_call, declared, find_chatbot
from sensei_kumite.targets.python_file import run_file
from sensei_kumite.targets.script_names import target_modules

BOT = "class {}:\n    def process_input(self, text):\n        return '{}'\n"


def module(folder: Path, text: str) -> ModuleType:
    path = folder / "bot.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return run_file(path, "bot", target_modules())


def problem(folder: Path, text: str, name: str | None = None) -> str:
    with pytest.raises(ConfigurationError) as caught:
        find_chatbot(module(folder, text), name)
    return str(caught.value).removeprefix(f"{folder}/")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (BOT.format("A", "a"), "A"),
        (BOT.format("A", "a") + "bot = A()\n", "bot"),
        (BOT.format("A", "a") + "bot = A()\ndef reply(text): pass\n", "bot"),
        (BOT.format("A", "a") + "def process_input(text): pass\n", "A"),
        (BOT.format("A", "a") + "class B(A): pass\n", "B"),
        (BOT.format("_A", "a") + "class B(_A): pass\n", "B"),
        ("from spikee.templates.target import Target\n" + BOT.format("A(Target)", "a"), "A"),
        (
            "from spikee.templates.target import Target\nclass Base(Target): pass\n"
            + BOT.format("A(Base)", "a"),
            "A",
        ),
        ("def process_input(text): pass\ndef reply(text): pass\n", "process_input"),
        ("def other(text): pass\ndef reply(text): pass\n", "reply"),
        ("chatbot = 'x {}'.format\nfrom os.path import join\n", "chatbot"),
        ("from json import dumps as target\n", "target"),
        ("from os.path import join\nimport json\ndef _helper(): pass\ndef answer(text): pass\n", "answer"),
        ("async def answer(text): pass\n", "answer"),
    ],
)
def test_the_likeliest_is_found(tmp_path: Path, text: str, name: str) -> None:
    assert find_chatbot(module(tmp_path, text)).name == name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "x = 1\n",
            "Call the function one of process_input, reply, chatbot, target, or say which it is with the "
            "parameter name.",
        ),
        ("from json import dumps\n", "nothing in this file is a chatbot"),
        ("class A: pass\n", "nothing in this file is a chatbot"),
        ("def a(t): pass\ndef b(t): pass\n", "several things in this file could be the chatbot: a, b."),
        (BOT.format("A", "") + BOT.format("B", ""), "could be the chatbot: A, B. Say which with"),
        ("def reply(t): pass\ndef target(t): pass\n", "could be the chatbot: reply, target."),
    ],
)
def test_none_or_several_are_told(tmp_path: Path, text: str, told: str) -> None:
    found = problem(tmp_path, text)
    assert found.startswith("bot.py: ")
    assert told in found


class TestName:
    TEXT = BOT.format("First", "1") + BOT.format("Second", "2") + "def third(text): return '3'\nfourth = 4\n"

    @pytest.mark.parametrize(("name", "answer"), [("First", "1"), ("Second", "2"), ("third", "3")])
    def test_it_says_which(self, tmp_path: Path, name: str, answer: str) -> None:
        assert find_chatbot(module(tmp_path, self.TEXT), name).answers()("hi") == answer

    @pytest.mark.parametrize(
        ("name", "told"),
        [
            ("Frist", "there is no 'Frist' in {file}. Did you mean 'First'?"),
            ("fourth", "'fourth' in {file} is neither a function nor has it the method process_input."),
        ],
    )
    def test_one_that_cannot_be_is_told(self, tmp_path: Path, name: str, told: str) -> None:
        with pytest.raises(ConfigurationError) as caught:
            find_chatbot(module(tmp_path, self.TEXT), name)
        [found] = caught.value.problems
        assert found.message == told.format(file=tmp_path / "bot.py")
        assert (found.place, found.key) == (None, "name")


class TestCalls:
    def test_only_parameters_that_we_give_are_declared(self) -> None:
        def answers(
            text: str, logprobs: bool = False, *, backtrack: bool, system_message: str = "", **other: str
        ) -> str:
            return text

        assert declared(answers) == {"backtrack", "system_message"}
        check_call(answers, Path("bot.py"))

    def test_what_python_cannot_tell_is_tried(self) -> None:
        assert declared(str) == frozenset()
        check_call(str, Path("bot.py"))

    @pytest.mark.parametrize(
        "text", ["def f(): pass", "def f(a, b): pass", "def f(*, text): pass", "def f(system_message): pass"]
    )
    def test_what_cannot_be_called_is_told_with_its_line(self, tmp_path: Path, text: str) -> None:
        loaded = module(tmp_path, f"\n\n{text}\n")
        with pytest.raises(ConfigurationError, match=r"bot\.py:3: f\(.*\) cannot be called with a message"):
            check_call(loaded.f, tmp_path / "bot.py")


def test_a_class_makes_a_new_object_each_time(tmp_path: Path) -> None:
    chatbot = find_chatbot(module(tmp_path, BOT.format("A", "a")))
    first, second = chatbot.answers(), chatbot.answers()
    assert first.__self__ is not second.__self__  # type: ignore[attr-defined]
    assert chatbot.begins_anew(first)
