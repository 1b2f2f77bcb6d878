"""Which class, object or function of a Python file is the chatbot, and what it takes beside the message."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from sensei_kumite.errors import ConfigurationError, Place, Problem, short_path
from sensei_kumite.text import did_you_mean

METHOD = "process_input"
FUNCTIONS = ("reply", "chatbot", "target")
GIVEN = ("system_message", "target_options", "spikee_session_id", "backtrack")
"""What is handed to a chatbot that declares a parameter of this name."""

Answers = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Chatbot:
    """What is tested: a class, of which each session has an object of its own, or what all sessions share."""

    name: str
    found: Any
    path: Path

    @property
    def is_class(self) -> bool:
        """Whether a new object is a new conversation."""
        return isinstance(self.found, type)

    def answers(self) -> Answers:
        """What takes a message, of a new object where this is a class; raises what its constructor raises."""
        made = self.found() if self.is_class else self.found
        answers: Answers = getattr(made, METHOD, made)
        return answers

    def begins_anew(self, answers: Answers) -> bool:
        """Whether a fresh conversation can begin; a function holds none, as far as anybody can tell."""
        return self.is_class or not hasattr(self.found, METHOD) or not self.is_renewed(answers)

    def is_renewed(self, answers: Answers) -> bool:
        """Whether only another object begins a fresh conversation: no session id is taken, and the object
        does not say that it holds none."""
        holds_one = _config(answers).get("multi-turn") is not False
        return holds_one and "spikee_session_id" not in declared(answers)

    def takes_back(self, answers: Answers) -> bool:
        """Whether the last exchange can be taken back, and the object says so."""
        return "backtrack" in declared(answers) and bool(_config(answers).get("backtrack"))


def find_chatbot(module: ModuleType, name: str | None = None) -> Chatbot:
    """The chatbot of a file, or the one called `name`; raises ConfigurationError where none or several fit.

    In this order: objects with the method, classes with it, a function of that name, one of `FUNCTIONS`, the
    only function there is.
    """
    path = Path(str(module.__file__))
    public = {key: value for key, value in vars(module).items() if not key.startswith("_")}
    if name is not None:
        return _named(name, public, path)
    for fitting in _candidates(module.__name__, public):
        if len(fitting) > 1:
            message = f"several things in this file could be the chatbot: {', '.join(fitting)}."
            raise ConfigurationError([Problem(message, Place(path), "Say which with the parameter name.")])
        for key, value in fitting.items():
            return Chatbot(key, value, path)
    raise ConfigurationError(
        [
            Problem(
                f"nothing in this file is a chatbot: a class with {METHOD}, or a function of a text.",
                Place(path),
                f"Call the function one of {', '.join((METHOD, *FUNCTIONS))}, or say which it is with the "
                "parameter name.",
            )
        ]
    )


def check_call(answers: Answers, path: Path) -> None:
    """Raise ConfigurationError where a chatbot needs more than a message and what is `GIVEN`."""
    signature = _signature(answers)
    if signature is None:
        return
    try:
        signature.bind("", **dict.fromkeys(declared(answers)))
    except TypeError as error:
        called = getattr(answers, "__name__", type(answers).__name__)
        message = f"{called}{signature} cannot be called with a message: {error}."
        hint = f"Beside it, only {', '.join(GIVEN)} are given."
        raise ConfigurationError([Problem(message, _place(answers, path), hint)]) from None


def declared(answers: Answers) -> frozenset[str]:
    """Which of `GIVEN` a chatbot takes."""
    signature = _signature(answers)
    return frozenset(signature.parameters if signature else ()) & frozenset(GIVEN)


def _signature(answers: Answers) -> inspect.Signature | None:
    try:
        return inspect.signature(answers)
    except (TypeError, ValueError):  # built in, so that Python cannot tell
        return None


def _config(answers: Answers) -> Mapping[str, Any]:
    """What the object behind a method says of itself, as targets of spikee do."""
    config = getattr(getattr(answers, "__self__", None), "config", None)
    return config if isinstance(config, Mapping) else {}


def _named(name: str, public: Mapping[str, Any], path: Path) -> Chatbot:
    found = public.get(name)
    if found is None:
        message = f"there is no {name!r} in {short_path(path)}.{did_you_mean(name, public)}"
    elif not (_has_method(found) or (callable(found) and not isinstance(found, type))):
        message = f"{name!r} in {short_path(path)} is neither a function nor has it the method {METHOD}."
    else:
        return Chatbot(name, found, path)
    raise ConfigurationError([Problem(message, key="name")])


def _candidates(module: str, public: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What may be meant, the most likely first, by name."""
    with_method = {key: value for key, value in public.items() if _has_method(value)}
    yield {key: value for key, value in with_method.items() if not isinstance(value, type)}
    yield _leaves({key: value for key, value in with_method.items() if _is_class_of(module, value)})
    functions = {
        key: value for key, value in public.items() if callable(value) and not isinstance(value, type)
    }
    yield {key: value for key, value in functions.items() if key == METHOD}
    yield {key: value for key, value in functions.items() if key in FUNCTIONS}
    yield {
        key: value
        for key, value in functions.items()
        if isinstance(value, FunctionType) and value.__module__ == module
    }


def _has_method(value: Any) -> bool:
    return not isinstance(value, ModuleType) and callable(getattr(value, METHOD, None))


def _is_class_of(module: str, value: Any) -> bool:
    return isinstance(value, type) and value.__module__ == module and not inspect.isabstract(value)


def _leaves(classes: Mapping[str, type]) -> dict[str, Any]:
    """Those from which no other one derives."""
    return {
        key: value
        for key, value in classes.items()
        if not any(issubclass(other, value) and other is not value for other in classes.values())
    }


def _place(answers: Answers, path: Path) -> Place:
    code = getattr(inspect.unwrap(answers), "__code__", None)
    here = code is not None and code.co_filename == str(path)
    return Place(path, code.co_firstlineno if here and code else None)
