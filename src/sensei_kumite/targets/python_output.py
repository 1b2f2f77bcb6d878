"""What Python files of a workspace print goes to the log: the terminal is for the run's own lines.

`--verbose` shows it. `print` and `traceback` are what such files use; what they write elsewhere stays theirs.
"""

from __future__ import annotations

import builtins
import logging
import sys
import traceback
from io import StringIO
from types import ModuleType
from typing import Any

_LOG = logging.getLogger("sensei_kumite.python")


def print_to_log(*values: object, **how: Any) -> None:
    """As `print` does, into the log, unless a file of the caller's own is named."""
    if how.get("file") not in (None, sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        builtins.print(*values, **how)  # noqa: T201  # where its author wants it
        return
    text = StringIO()
    builtins.print(*values, file=text, sep=how.get("sep"), end="")
    if text.getvalue().strip():
        _LOG.info("%s", text.getvalue())


def quiet_traceback() -> ModuleType:
    """The module `traceback`, of which what prints prints into the log."""
    module = ModuleType("traceback")
    vars(module).update(vars(traceback))

    def print_exc(limit: int | None = None, file: Any = None, chain: bool = True) -> None:
        print_to_log(traceback.format_exc(limit, chain), file=file)

    def print_exception(*error: Any, file: Any = None, **how: Any) -> None:
        print_to_log("".join(traceback.format_exception(*error, **how)), file=file)

    vars(module).update(print_exc=print_exc, print_exception=print_exception)
    return module
