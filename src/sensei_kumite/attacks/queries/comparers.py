"""Weights and comparers: which keys of a test they need, and the oracle that judges as they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from sensei_kumite.models import OracleSpec

WeightName = Literal["Potential", "Absolute"]
ComparerName = Literal["Contains", "Regex"]

ORACLE = "query_match"
NEEDED: Mapping[str, tuple[str, ...]] = {"Contains": ("Output", "ToLower"), "Regex": ("Regex",)}
_USED: Mapping[str, tuple[str, ...]] = {"Contains": ("Output", "ToLower"), "Regex": ("Regex", "ToLower")}
_PARAMETERS = {"Output": "output", "ToLower": "to_lower", "Regex": "regex"}


def missing_keys(test: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a test as written lacks for its weight and comparer: the key that asks for it, and a sentence."""
    comparer = test.get("Comparer")
    if test.get("Weight") == "Absolute" and comparer is None:
        yield "Weight", f"Weight Absolute needs a Comparer: {' or '.join(NEEDED)}."
    needed = NEEDED.get(comparer, ()) if isinstance(comparer, str) else ()
    for key in needed:
        if test.get(key) is None:
            yield "Comparer", f"Comparer {comparer} needs the key {key!r}, which is missing."


def idle_keys(weight: WeightName, comparer: ComparerName | None, given: Sequence[str]) -> list[str]:
    """The keys among `given` that change nothing: a Potential test needs no comparer, and so on."""
    used = ("Comparer", *_USED.get(comparer or "", ())) if weight == "Absolute" else ()
    return [key for key in ("Comparer", *_PARAMETERS) if key in given and key not in used]


def oracle_of(weight: WeightName, comparer: ComparerName | None, keys: Mapping[str, Any]) -> OracleSpec:
    """The oracle of a test: breached is what its weight and comparer call a success."""
    if weight == "Potential" or comparer is None:
        return OracleSpec(ORACLE, {"weight": weight})
    used = {_PARAMETERS[key]: keys[key] for key in _USED[comparer] if keys.get(key)}
    return OracleSpec(ORACLE, {"weight": weight, "comparer": comparer, **used})
