"""Case ids: what a case is called, and which two would end up with the same id."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sensei_kumite.yaml_scalars import as_typed


class Named(NamedTuple):
    """A case by its position in the file, its id, and how many variants it comes in."""

    position: int
    case_id: str
    variants: int = 1


def any_scalar(value: Any) -> Any:
    """An id as it was typed; raises ValueError for what is none."""
    if isinstance(value, (dict, list)):
        raise ValueError("should be a text or a number")
    return str(value).lower() if isinstance(value, bool) else as_typed(value)


def id_of(item: Any, position: int) -> str:
    """What a case is called: its own id, else its number in the file."""
    given = item.get("id") if isinstance(item, dict) else None
    written = "" if given is None or isinstance(given, (dict, list)) else str(any_scalar(given))
    return written or f"custom_{position + 1}"


def clashes(cases: Sequence[Named]) -> Iterator[tuple[Named, int]]:
    """Each case whose id another one has or takes, with the position of that other case.

    A case `a` in two variants takes `a_1` and `a_2`.
    """
    seen: dict[str, int] = {}
    repeated = {case.case_id: case for case in cases if case.variants > 1}
    for case in cases:
        first = seen.setdefault(case.case_id, case.position)
        if first == case.position and case.variants == 1:
            first = _owner(case, repeated)
        if first != case.position:
            yield case, first


def _owner(case: Named, repeated: Mapping[str, Named]) -> int:
    """The position of the case one of whose variants is called like this one; its own where there is none."""
    base, _, number = case.case_id.rpartition("_")
    other = repeated.get(base)
    counted = re.fullmatch("[1-9][0-9]{0,17}", number)
    return other.position if other and counted and int(number) <= other.variants else case.position
