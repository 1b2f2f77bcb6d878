"""What it takes to read a custom attack file and to write its cases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sensei_kumite.attacks.base import AttackContext
from sensei_kumite.attacks.custom.functions import FunctionFiles
from sensei_kumite.attacks.custom.text_files import TextFiles


@dataclass(frozen=True, slots=True)
class Tools:
    """The files that an attack file names, found beside it first, and what it may know of the run.

    `rephrase` is how far prompts are rephrased, 0 where they are not. Shared by the threads that write cases.
    """

    context: AttackContext
    texts: TextFiles
    functions: FunctionFiles
    rephrase: float = 0.0

    @classmethod
    def beside(cls, path: Path, context: AttackContext, rephrase: float) -> Tools:
        """Those of the attack file `path`."""
        find = partial(context.resolve, beside=path)
        return cls(context, TextFiles(find), FunctionFiles(find, context.safe), rephrase)
