"""What `judge_name` and `judge_args` mean as an oracle, which fails where the judge speaks of a success."""

from __future__ import annotations

from typing import Any

from sensei_kumite.config.fields import shown
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_scalars import as_typed

CANARY = "canary"
REGEX = "regex"


def oracle_of(name: str | None, arguments: Any) -> OracleSpec | None:
    """The oracle of a judge; None where the entry names none. Raises ValueError for what it cannot judge by.

    `canary` looks for texts, without regard to case, and is meant where only arguments are given. `regex`
    searches patterns as Python's `re` does by default: with regard to case, a dot ends at the line. Every
    other name is an oracle of ours, with the arguments as its parameters.
    """
    if name is None and arguments in (None, ""):
        return None
    if name is None or name == CANARY:
        return OracleSpec("keyword_absent", {"keywords": _texts(CANARY, arguments)})
    if name == REGEX:
        return regex_oracle(_texts(name, arguments))
    if arguments in (None, ""):
        arguments = {}
    if not isinstance(arguments, dict):
        raise ValueError(f"the oracle {name} takes a mapping of its parameters, not {shown(arguments)}")
    return OracleSpec(name, arguments)


def regex_oracle(patterns: list[str]) -> OracleSpec:
    """The oracle that fails where one of `patterns` is found."""
    return OracleSpec("query_match", {"weight": "Absolute", "comparer": "Regex", "regex": patterns})


def _texts(judge: str, arguments: Any) -> list[str]:
    """The texts among the arguments, one or a list, without empty ones, which the judge passes over, too."""
    given = arguments if isinstance(arguments, list) else [arguments]
    texts = [str(as_typed(item)) for item in given if item not in (None, "")]
    if not texts or any(isinstance(item, (bool, dict, list)) for item in given):
        raise ValueError(f"the judge {judge} takes a text or a list of texts, not {shown(arguments)}")
    return texts
