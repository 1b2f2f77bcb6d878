"""`sensei-kumite`: the one place where the program ends, whatever happened.

What the steps need is imported after the arguments are parsed, so that `--help` answers at once.
"""

from __future__ import annotations

import os
import sys
import traceback

from sensei_kumite.cli.options import Options, parse
from sensei_kumite.errors import (
    EXIT_INTERRUPTED,
    EXIT_OK,
    EXIT_PROBLEM,
    ConfigurationError,
    KumiteError,
)


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = parse(argv)
    try:
        return _run(options)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the exit would flush and fail
        return EXIT_OK
    except Exception:  # noqa: BLE001  # the last boundary: a bug keeps its traceback
        traceback.print_exc()
        print("sensei-kumite: this is a bug; please report it with the lines above.", file=sys.stderr)
        return EXIT_PROBLEM


def _run(options: Options) -> int:
    """The steps; what we understood as going wrong is a paragraph and an exit code."""
    from sensei_kumite.cli import steps
    from sensei_kumite.cli.console import say, show_problems

    try:
        return steps.run(options)
    except ConfigurationError as error:
        show_problems(error.problems)
        return error.exit_code
    except KumiteError as error:
        say(f"sensei-kumite: {error}")
        if options.verbose:
            traceback.print_exc()
        return error.exit_code
