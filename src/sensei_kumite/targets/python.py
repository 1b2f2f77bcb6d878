"""The technology `python`: a chatbot that is a Python file of the project, called in the same process."""

from __future__ import annotations

import asyncio
import inspect
import sys
import uuid
from collections.abc import Awaitable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sensei_kumite.errors import ConfigurationError, Problem, TargetProtocolError, short_path
from sensei_kumite.files import resolve_path
from sensei_kumite.targets.base import TARGETS, Capabilities, Session, Target, TargetSettings
from sensei_kumite.targets.content import text_of
from sensei_kumite.targets.parameters import Parameter, check_parameters, secrets_in
from sensei_kumite.targets.python_chatbot import Answers, Chatbot, check_call, declared, find_chatbot
from sensei_kumite.targets.python_file import explained, run_file
from sensei_kumite.targets.script_names import GuardrailTrigger, parse_options, target_modules

BLOCKED = "Your request was blocked by a guardrail"
"""What the reply begins with where the chatbot raises GuardrailTrigger; oracles take it for a refusal."""

_PARAMETERS = (
    Parameter("path", "string", required=True),
    Parameter("name", "string", required=False),
    Parameter("options", "string", required=False),
    Parameter("concurrent", "boolean", required=False),
)


@TARGETS.register("python")
class PythonTarget(Target):
    """The class, object or function of a file that takes a text and returns one.

    The file is run, and an object of a class made, when the target is built, so that what is wrong with it
    is a ConfigurationError with its line.
    """

    description = "A Python file of the project: a class with process_input, or a function of a text."

    def __init__(self, settings: TargetSettings) -> None:
        values, problems = check_parameters(_PARAMETERS, settings.params)
        if problems:
            raise ConfigurationError(problems)
        self._path = _find(values["path"], settings)
        self._options: str | None = values.get("options")
        self.secrets = tuple(secrets_in(parse_options(self._options)))
        module = run_file(self._path, self._path.stem, target_modules())
        sys.modules[module.__name__] = module  # where type hints that are read later look for their names
        self._chatbot = find_chatbot(module, values.get("name"))
        with explained(self._path):
            first = self._chatbot.answers()
        check_call(first, self._path)
        self._unused = [first]
        fresh = self._chatbot.begins_anew(first)  # else all conversations are one
        self.capabilities = Capabilities(
            fresh_conversations=fresh,
            concurrent_sessions=fresh and values.get("concurrent", True),
            backtrack=self._chatbot.takes_back(first),
        )

    def open(self) -> Session:
        """A conversation of its own. The first one has the object that was made already."""
        try:
            answers = self._unused.pop()
        except IndexError:
            with _failing(self._path, self.secrets):
                answers = self._chatbot.answers()
        return PythonSession(self._chatbot, answers, options=self._options, secrets=self.secrets)

    def describe(self) -> str:
        """What it is called, and its file."""
        return f"python: {self._chatbot.name} of {short_path(self._path)}"


class PythonSession(Session):
    """One conversation with `answers`, the method of an object, or as much of one as a function holds."""

    def __init__(
        self, chatbot: Chatbot, answers: Answers, *, options: str | None, secrets: Iterable[str]
    ) -> None:
        self._chatbot = chatbot
        self._answers = answers
        self._secrets = tuple(secrets)
        self._takes = declared(answers)
        self._given: dict[str, Any] = {
            "system_message": None,
            "target_options": options,
            "spikee_session_id": str(uuid.uuid4()),
            "backtrack": False,
        }
        self._exchanges = 0
        self._runner: asyncio.Runner | None = None

    def send(self, text: str) -> str:
        """The answer to `text`, or that a guardrail blocked it; raises TargetError."""
        given = {name: self._given[name] for name in self._takes}
        self._given["backtrack"] = False
        self._exchanges += 1
        with _failing(self._chatbot.path, self._secrets):
            try:
                return _text_of(self._finished(self._answers(text, **given)))
            except GuardrailTrigger as blocked:
                return f"{BLOCKED}: {blocked}" if str(blocked) else f"{BLOCKED}."

    def reset(self) -> bool:
        """Begin a fresh conversation: with another session id, or with another object of the class.

        False where one object serves all. Raises TargetError where the constructor fails.
        """
        if not self._chatbot.begins_anew(self._answers):
            return False
        if self._exchanges and self._chatbot.is_renewed(self._answers):
            with _failing(self._chatbot.path, self._secrets):
                self._answers = self._chatbot.answers()
        self._given |= {"spikee_session_id": str(uuid.uuid4()), "backtrack": False}
        self._exchanges = 0
        return True

    def backtrack(self) -> bool:
        """Have the next message take the last exchange back; not twice in a row."""
        if not self._chatbot.takes_back(self._answers) or not self._exchanges or self._given["backtrack"]:
            return False
        self._given["backtrack"] = True
        return True

    def instruct(self, system_message: str | None) -> bool:
        """Hand `system_message` on with every message, where it is declared."""
        self._given["system_message"] = system_message
        return "system_message" in self._takes

    def close(self) -> None:
        """End the event loop of a chatbot that has one; a call that hangs keeps it."""
        if self._runner is not None:
            with suppress(BaseException):  # a task that is left over may raise anything
                self._runner.close()

    def _finished(self, returned: Any) -> Any:
        """What was returned; of a coroutine what it returns, on an event loop of this session."""
        if not inspect.isawaitable(returned):
            return returned
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(_awaited(returned))


async def _awaited(returned: Awaitable[Any]) -> Any:
    return await returned


def _text_of(returned: Any) -> str:
    """The text in what a chatbot returned: the first of a pair, and of a message its content."""
    if isinstance(returned, (tuple, list)) and returned:
        returned = returned[0]
    text = returned if isinstance(returned, str) else text_of(getattr(returned, "content", None))
    if not isinstance(text, str):
        raise TargetProtocolError(
            f"the chatbot returned {_kind(returned)}; return text, or an object with content."
        )
    if not text.strip():
        raise TargetProtocolError("empty response: the chatbot returned no text.")
    return str(text)


def _kind(returned: Any) -> str:
    if isinstance(returned, (bool, type(None))):
        return repr(returned)
    name = type(returned).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def _find(name: str, settings: TargetSettings) -> Path:
    """The file that the parameter path names, from the project folder."""
    if settings.confined:
        message = "technology python: --safe runs no Python file of the workspace."
        raise ConfigurationError([Problem(message)])
    if not name.endswith(".py"):
        message = f"the connector parameter 'path' should name a Python file, not {name!r}."
        raise ConfigurationError([Problem(message, key="path")])
    try:
        return resolve_path(name, [settings.project])
    except ConfigurationError as error:
        raise ConfigurationError([replace(problem, key="path") for problem in error.problems]) from None


@contextmanager
def _failing(path: Path, secrets: Iterable[str]) -> Iterator[None]:
    """Turn whatever the code of `path` raises into a TargetError.

    That goes for KeyboardInterrupt and CancelledError, too: a real Ctrl-C reaches the main thread only, and
    nobody but the code itself cancels its tasks.
    """
    try:
        yield
    except BaseException as error:
        from sensei_kumite.targets.python_failures import target_error  # imports requests

        raise target_error(error, path, secrets) from error
