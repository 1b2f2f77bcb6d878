"""Python files of a workspace, run as modules whose imports find what we put there before what is installed.

Only the file itself sees these modules: what other files import, and what Python knows as imported, stays
as it is.
"""

from __future__ import annotations

import builtins
import importlib
import secrets
import sys
import traceback
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.targets.python_output import print_to_log, quiet_traceback
from sensei_kumite.text import excerpt

_LONGEST_MESSAGE = 300


def run_file(path: Path, name: str, modules: Mapping[str, ModuleType]) -> ModuleType:
    """The file as a module; its imports are looked up in `modules` by dotted name, then as always.

    That goes for imports in functions, too, whenever and on whatever thread they are called. `modules` has
    all packages on the way, as `packages` makes them. The module is called `name` with something behind it
    that makes it unique, and `sys.modules` holds it under that name while it is run, because dataclasses
    look there. What it prints goes to the log. Raises ConfigurationError with the line that cannot be loaded.
    """
    code = _compiled(path)
    module = ModuleType(f"{name}_{secrets.token_hex(8)}")
    module.__file__ = str(path)
    imports = _Imports(path.parent, modules)
    replaced = {"__import__": imports.load, "print": print_to_log}
    module.__dict__["__builtins__"] = {**vars(builtins), **replaced}
    sys.modules[module.__name__] = module
    try:
        with explained(path):
            exec(code, module.__dict__)  # noqa: S102  # what the user asks for, and --safe forbids
    finally:
        del sys.modules[module.__name__]
    return module


def packages(contents: Mapping[str, Mapping[str, Any]]) -> dict[str, ModuleType]:
    """Modules by dotted name that hold what `contents` says, and the packages they are in."""
    made: dict[str, ModuleType] = {}
    for dotted in sorted(contents):
        for name in _on_the_way(dotted):
            if name not in made:
                made[name] = ModuleType(name)
                parent, _, last = name.rpartition(".")
                if parent:
                    setattr(made[parent], last, made[name])
        vars(made[dotted]).update(contents[dotted])
    return made


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Whatever the code of `path` raises while it is loaded, told as a problem of that file."""
    try:
        yield
    except KeyboardInterrupt:  # files are loaded where Ctrl-C arrives
        raise
    except BaseException as error:
        message, hint = f"{type(error).__name__}: {excerpt(str(error), _LONGEST_MESSAGE)}", None
        if isinstance(error, ModuleNotFoundError) and error.name:
            message = f"the module {error.name!r} is not installed"
            hint = "Install it, or name the folder that it is in in the environment variable PYTHONPATH."
        problem = Problem(f"this file cannot be loaded: {message}.", place_of(error, path), hint)
        raise ConfigurationError([problem]) from error


def place_of(error: BaseException, path: Path) -> Place:
    """The line of `path` that `error` came from, or from a call in it; only the file where it is none."""
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
    ]
    return Place(path, lines[-1] if lines else None)


class _Imports:
    """How the imports of one file are looked up: what we put there, what is installed, files beside it."""

    def __init__(self, folder: Path, modules: Mapping[str, ModuleType]) -> None:
        self._folder = folder
        self._modules = modules
        own = {"traceback": quiet_traceback(), "importlib": self._importlib()}
        self._shadowed = ChainMap(own, modules)  # type: ignore[arg-type]  # only read
        self._beside: dict[str, ModuleType] = {}

    def load(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """What Python calls for an import.

        `import a.b` wants the module `a`, `from a.b import c` wants `a.b`.
        """
        top = name.partition(".")[0]
        if not level and name in self._shadowed:
            return self._shadowed[name if fromlist else top]
        try:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        except ModuleNotFoundError as error:
            if not level and error.name == name and (self._folder / f"{name}.py").is_file():
                return self._neighbour(name)
            if level or top not in self._shadowed or (error.name or "").partition(".")[0] != top:
                raise
            raise ModuleNotFoundError(f"No module named {name!r}", name=name) from None  # `top` there is

    def _neighbour(self, name: str) -> ModuleType:
        """The file of that name beside the one that imports it, whose imports are looked up the same way."""
        if name not in self._beside:
            self._beside[name] = run_file(self._folder / f"{name}.py", name, self._modules)
        return self._beside[name]

    def _importlib(self) -> ModuleType:
        """The module `importlib`, whose `import_module` looks here first."""
        module = ModuleType("importlib")
        vars(module).update(vars(importlib))

        def import_module(name: str, package: str | None = None) -> ModuleType:
            if package is None and name in self._shadowed:
                return self._shadowed[name]
            return importlib.import_module(name, package)

        vars(module)["import_module"] = import_module
        return module


def _on_the_way(dotted: str) -> Iterator[str]:
    """`a`, `a.b` and `a.b.c` for `a.b.c`."""
    return accumulate(dotted.split("."), "{}.{}".format)


def _compiled(path: Path) -> CodeType:
    try:
        return compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        problem = Problem(f"this is no valid Python: {error.msg}.", Place(path, error.lineno, error.offset))
    except (ValueError, RecursionError) as error:  # a NUL in it, or nested without end
        problem = Problem(f"this is no Python file: {error}.", Place(path))
    except OSError as error:
        problem = Problem(f"this file cannot be read: {error.strerror}.", Place(path))
    raise ConfigurationError([problem])
