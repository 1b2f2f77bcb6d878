"""Which query files an entry means: the one that it names, or all of the folder that it names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sensei_kumite.attacks.queries.document import CheckOracle, QueryFile, read_query_file
from sensei_kumite.errors import ConfigurationError, Place, Problem

SUFFIXES = (".yml", ".yaml")
Resolve = Callable[[str], Path]


@dataclass(frozen=True, slots=True)
class Source:
    """The files of an entry by name, in order; `problems` are those of no file."""

    files: dict[str, QueryFile]
    is_folder: bool = False
    problems: tuple[Problem, ...] = ()


def read_source(source: str | None, resolve: Resolve, check_oracle: CheckOracle) -> Source:
    """All query files that `source` means, and what is wrong with each of them."""
    if not source:
        problem = Problem(
            "no query file is named.", hint="Write source: attacks/<file>.yml, or name a folder of them."
        )
        return Source({}, problems=(problem,))
    try:
        path = resolve(source)
        names = _names_in(path, source) if path.is_dir() else [source]
    except ConfigurationError as error:
        return Source({}, problems=tuple(error.problems))
    return Source({name: _read(name, resolve, check_oracle) for name in names}, path.is_dir())


def _read(name: str, resolve: Resolve, check_oracle: CheckOracle) -> QueryFile:
    """The file called `name`; where --safe forbids to go there, that is its problem."""
    try:
        path = resolve(name)
    except ConfigurationError as error:
        return QueryFile(problems=tuple(error.problems))
    if path.suffix.lower() not in SUFFIXES:
        message = f"a query file ends in {' or '.join(SUFFIXES)}, not {path.suffix or path.name!r}."
        return QueryFile(problems=(Problem(message, Place(path)),))
    return read_query_file(path, check_oracle)


def _names_in(folder: Path, source: str) -> list[str]:
    """Its YAML files in name order; hidden files and those of inner folders are not among them."""
    try:
        names = sorted(item.name for item in folder.iterdir() if _is_query_file(item))
    except OSError as error:
        message = f"this folder cannot be read: {error.strerror}."
        raise ConfigurationError([Problem(message, Place(folder))]) from None
    if not names:
        message = f"this folder holds no query file ({' or '.join(SUFFIXES)})."
        raise ConfigurationError([Problem(message, Place(folder))])
    return [f"{source.rstrip('/')}/{name}" for name in names]


def _is_query_file(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and path.is_file()
