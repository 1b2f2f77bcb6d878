"""Functions of Python files that an attack file names: trusted code, run with the rights of whoever tests.

A file is run anew for every call, so that no case finds what another one left behind.
"""

from __future__ import annotations

import inspect
import secrets
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sensei_kumite.attacks.custom.text_files import Find
from sensei_kumite.errors import ConfigurationError, Problem, short_path
from sensei_kumite.text import did_you_mean, excerpt


@dataclass(frozen=True, slots=True)
class FunctionFiles:
    """The Python files of one attack file. Shared by the threads that write its cases.

    With `safe`, none of them is run. What cannot be called is a ConfigurationError without a place: the
    caller knows which variable is meant.
    """

    find: Find
    safe: bool = False
    _compiled: dict[Path, CodeType] = field(default_factory=dict)

    def check(self, name: str, function: str, arguments: Mapping[str, Any]) -> None:
        """Run the file `name`, but not the function, and see whether that takes these arguments."""
        with _loaded(self._code(name)) as module:
            _callable(module, function, arguments)

    def call(self, name: str, function: str, arguments: Mapping[str, Any]) -> str:
        """The text that the function makes of these arguments."""
        with _loaded(self._code(name)) as module:
            called = _callable(module, function, arguments)
            with _mapped(module, f"{function} failed"):
                result = called(**arguments)
        if isinstance(result, str):
            return str(result)
        raise _error(f"{function} of {name} should return a text, not {type(result).__name__}.")

    def _code(self, name: str) -> CodeType:
        if self.safe:
            raise _error("--safe runs no Python file of the workspace.")
        if not name.endswith(".py"):
            raise _error(f"a function stands in a Python file, whose name ends in .py: not {name!r}.")
        path = self.find(name)
        if path not in self._compiled:
            self._compiled[path] = _compiled(path)
        return self._compiled[path]


def _compiled(path: Path) -> CodeType:
    try:
        return compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise _error(f"{short_path(path)}, line {error.lineno}: {error.msg}.") from None
    except ValueError as error:  # a NUL in it
        raise _error(f"{short_path(path)} is no Python file: {error}.") from None
    except OSError as error:
        raise _error(f"{short_path(path)} cannot be read: {error.strerror}.") from None


@contextmanager
def _loaded(code: CodeType) -> Iterator[ModuleType]:
    """The file as a module, which Python knows by its name for as long as this is open, and no longer."""
    module = ModuleType(f"_{Path(code.co_filename).stem}_{secrets.token_hex(8)}")
    module.__file__ = code.co_filename
    sys.modules[module.__name__] = module  # where a dataclass looks for the module that it is of
    try:
        with _mapped(module, "it cannot be loaded"):
            exec(code, module.__dict__)  # noqa: S102  # what the user asks for, and --safe forbids
        yield module
    finally:
        sys.modules.pop(module.__name__, None)


def _callable(module: ModuleType, name: str, arguments: Mapping[str, Any]) -> Callable[..., object]:
    found: object = module.__dict__.get(name)
    file = short_path(Path(str(module.__file__)))
    if not callable(found):
        named = [key for key, value in module.__dict__.items() if callable(value)]
        what = "there is no function" if found is None else "this is no function:"
        raise _error(f"{file}: {what} {name!r}.{did_you_mean(name, named)}")
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):  # built in, so that Python cannot tell
        return found
    try:
        signature.bind(**arguments)
    except TypeError as error:
        message = f"{file}: {name} cannot be called with these arguments: {error}."
        raise _error(message, f"It is declared as {excerpt(f'{name}{signature}')}.") from None
    return found


@contextmanager
def _mapped(module: ModuleType, what: str) -> Iterator[None]:
    """Whatever the code of a workspace raises, told as a problem of that workspace."""
    file = str(module.__file__)
    try:
        yield
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == file]
        place = f"{short_path(Path(file))}, line {lines[-1]}" if lines else short_path(Path(file))
        told = excerpt(f"{type(error).__name__}: {error}", 300)
        raise _error(f"{place}: {what}: {told}.") from error


def _error(message: str, hint: str | None = None) -> ConfigurationError:
    return ConfigurationError([Problem(message, hint=hint)])
