"""What a profile tells about a person, as text: its context, with the personalities that it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Any

from sensei_kumite.config.fields import shown
from sensei_kumite.config.loader import Workspace
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_reader import Document, YamlPath, load_yaml, parse_yaml
from sensei_kumite.yaml_scalars import as_typed

ENDINGS = (".yml", ".yaml")
_KEY = "personality"
_FOLDER = "personalities"


@cache
def personalities() -> tuple[str, ...]:
    """The names of the built-in personalities, sorted."""
    return tuple(sorted(_plain_name(resource.name) for resource in _built_in().iterdir()))


def read_context(document: Document, section: str, workspace: Workspace) -> str:
    """The `context` of a section of `document` as text, a line for each thing it says.

    Raises ConfigurationError for a personality that is unknown or cannot be read.
    """
    block = document.data.get(section) if isinstance(document.data, dict) else None
    context = block.get("context") if isinstance(block, dict) else None
    return "\n".join(_Writer(document, workspace).lines(context, (section, "context")))


def first_file(names: Iterable[str], workspace: Workspace) -> Path:
    """The first of `names` that is a file; raises ConfigurationError about the first name."""
    problems: list[Problem] = []
    for name in names:
        try:
            found = workspace.resolve(name)
        except ConfigurationError as error:
            problems += error.problems
        else:
            if found.is_file():
                return found
            problems.append(Problem(f"{name!r} is a folder where a file belongs."))
    raise ConfigurationError(problems[:1])


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes what stands in `document`, whatever its shape. Without a workspace it takes no personality."""

    document: Document
    workspace: Workspace | None = None

    def lines(self, value: Any, path: YamlPath) -> list[str]:
        """The lines of the value at `path`."""
        if isinstance(value, dict):
            return [line for key, item in value.items() for line in self._entry(key, item, (*path, key))]
        if isinstance(value, list):
            return [line for number, item in enumerate(value) for line in self.lines(item, (*path, number))]
        if isinstance(value, bool):
            return [str(value).lower()]
        text = "" if value is None else str(as_typed(value)).strip()
        return [text] if text else []

    def _entry(self, key: Any, value: Any, path: YamlPath) -> list[str]:
        if key == _KEY and value is not None:
            return _read_personality(value, self.workspace, self.document.place(path))
        lines = self.lines(value, path)
        return [f"{as_typed(key)}: {'; '.join(lines)}"] if lines else []


def _read_personality(name: Any, workspace: Workspace | None, place: Place) -> list[str]:
    """The lines of the personality that is named at `place`."""
    if workspace is None:
        raise _wrong("a personality cannot name another one.", place)
    if not isinstance(name, str) or not name.strip():
        raise _wrong(f"personality: should be a name, not {shown(name)}.", place)
    document = _find(name.strip(), workspace, place)
    context = document.data.get("context") if isinstance(document.data, dict) else None
    lines = _Writer(document).lines(context, ("context",))
    if not lines:
        raise _wrong("a personality needs context: how such a person talks.", document.place())
    return lines


def _find(name: str, workspace: Workspace, place: Place) -> Document:
    """The project's own personality of that name, else the built-in one."""
    path = name if "/" in name else f"{_FOLDER}/{name}"
    stem = _without_ending(path)
    spellings = [path, *(f"{stem}{user}{ending}" for user in ("", "-user") for ending in ENDINGS)]
    try:
        own = first_file(dict.fromkeys(spellings), workspace)
    except ConfigurationError as error:
        [problem, *_] = error.problems
    else:
        return load_yaml(own)
    plain = _plain_name(name)
    if plain in personalities():
        resource = _built_in() / f"{plain}-user.yml"
        return parse_yaml(resource.read_text(encoding="utf-8"), Path(resource.name))
    names = sorted({*personalities(), *_own_names(workspace)})
    hint = f"{did_you_mean(plain, names)} Valid: {', '.join(names)}.".strip()
    message = problem.message.replace(repr(path), repr(name))
    raise ConfigurationError([Problem(f"personality: {message}", place, hint)])


def _built_in() -> Traversable:
    return files("sensei_kumite") / "resources" / _FOLDER


def _own_names(workspace: Workspace) -> Iterable[str]:
    return [_plain_name(path.name) for path in (workspace.project / _FOLDER).glob("*.y*ml")]


def _plain_name(name: str) -> str:
    """The name of a personality, as people say it, from that of its file."""
    return _without_ending(PurePosixPath(name).name).removesuffix("-user")


def _without_ending(name: str) -> str:
    return name.removesuffix(".yml").removesuffix(".yaml")


def _wrong(message: str, place: Place) -> ConfigurationError:
    return ConfigurationError([Problem(message, place)])
