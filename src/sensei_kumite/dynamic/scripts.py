"""Finds the dynamic attack that a name or path means, and what there is to know of it before it runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from sensei_kumite.dynamic import DYNAMIC_ATTACKS
from sensei_kumite.dynamic.aliases import script_modules
from sensei_kumite.dynamic.contract import Attack, ModuleTag, Turn
from sensei_kumite.dynamic.options import described_options, option_problems
from sensei_kumite.dynamic.search import Search
from sensei_kumite.errors import ConfigurationError, Place, Problem, short_path
from sensei_kumite.llm.requests import Model
from sensei_kumite.targets.python_file import explained, run_file
from sensei_kumite.text import did_you_mean, visible

_FOLDER = "attacks"
_SUFFIX = ".py"
POSITIONAL = ("entry", "target_module", "call_judge", "max_iterations")
"""What every attack takes."""
_OPTIONAL = (
    "attempts_bar",
    "bar_lock",
    "attack_options",
    "attack_option",
    "return_all_attempts",
    "context",
)
_SIGNATURE = f"attack({', '.join(POSITIONAL)}, …)"


@dataclass(frozen=True, slots=True)
class DynamicAttack:
    """A search that can be run, and what it says of itself.

    `start` gives an attack function for one search, on a fresh instance where it is a method. `takes` are the
    parameters that it declares, None where it takes all. `options` are written `key=value`, the default
    first. `model_calls` are those of one try at most, as far as is known; `plays_turns` says whether an entry
    may be a list of turns. `check_options` finds what is wrong with an option text; of scripts nothing is
    known. `source` is the paper, or the file of a script as its tracebacks name it.
    """

    name: str
    start: Callable[[], Callable[..., Any]]
    takes: frozenset[str] | None
    turn: Turn
    description: str
    tags: tuple[str, ...]
    options: tuple[str, ...]
    needs_model: bool
    model_calls: int
    plays_turns: bool
    check_options: Callable[[str], list[str]]
    source: str


def find_attack(
    name: str, *, resolve: Callable[..., Path], generation: Callable[..., Model] | None, safe: bool
) -> DynamicAttack:
    """The built-in attack `name`; else the script that `name` is the path of, or that is `attacks/<name>.py`.

    `resolve` finds files; `generation` hands out the models that a script asks for. A script is run as far
    as it takes to define its attack. Raises ConfigurationError: for a name that means neither, a script that
    cannot be loaded or has no attack in it, and for any script with `safe`.
    """
    if name in DYNAMIC_ATTACKS:
        return _built_in(name, DYNAMIC_ATTACKS.get(name))
    path = _path(name, resolve)
    if path is None:
        raise _unknown(name, resolve)
    if safe:
        raise _error(f"{name!r} is a script, and --safe runs no Python file of the workspace.")
    return _script(path, generation)


def list_attacks() -> Iterator[tuple[str, str]]:
    """The built-in attacks, each with what it does in a line."""
    for name in DYNAMIC_ATTACKS.names():
        yield name, _built_in(name, DYNAMIC_ATTACKS.get(name)).description


def describe_attack(attack: DynamicAttack) -> Iterator[str]:
    """Everything about one dynamic attack, line by line."""
    yield visible(f"{attack.name}: {attack.description or 'no description'}")
    yield f"  tags: {', '.join(attack.tags) or 'none'}"
    yield f"  turns: {attack.turn.value}"
    yield f"  needs a generation model: {'yes' if attack.needs_model else 'no'}"
    yield "  options, defaults first:" if attack.options else "  options: none"
    yield from (visible(f"    {option}") for option in attack.options)
    if attack.source:
        is_file = attack.source.endswith(_SUFFIX)
        yield f"  source: {short_path(Path(attack.source)) if is_file else attack.source}"


def _built_in(name: str, attack: type[Attack]) -> DynamicAttack:
    described = _described(attack(), Path(inspect.getfile(attack)))
    found = DynamicAttack(
        name=name,
        start=lambda: attack().attack,
        takes=_takes(attack().attack),
        check_options=lambda _: [],
        source=getattr(attack, "source", ""),
        **described,
    )
    if not issubclass(attack, Search):
        return found
    return replace(
        found,
        options=tuple(described_options(attack.Options)),
        model_calls=attack.model_calls,
        plays_turns=attack.plays_turns,
        check_options=partial(option_problems, read=attack.read_options),
    )


def _script(path: Path, generation: Callable[..., Model] | None) -> DynamicAttack:
    module = run_file(path, path.stem, script_modules(generation))
    attack_class = next(iter(_attack_classes(module)), None)
    if attack_class is not None:
        with explained(path):
            holder = attack_class()
        attack = holder.attack
    else:
        holder, attack = module, getattr(module, "attack", None)
        if not callable(attack):
            raise _without_attack(path, module)
    _check_signature(attack, path)
    return DynamicAttack(
        name=path.stem,
        start=(lambda: attack_class().attack) if attack_class else (lambda: attack),
        takes=_takes(attack),
        check_options=lambda _: [],
        source=str(path),
        **_described(holder, path),
    )


def _attack_classes(module: ModuleType) -> Iterator[type[Any]]:
    """The classes of a script that can be run, in its order; imported ones belong to another file."""
    for value in vars(module).values():
        is_ours = isinstance(value, type) and value.__module__ == module.__name__
        if is_ours and issubclass(value, Attack) and not inspect.isabstract(value):
            yield value


def _described(holder: Any, path: Path) -> dict[str, Any]:
    """What an attack says of itself. Older scripts say it as a text or a list, or not at all."""
    description = _told(holder, "get_description", path)
    parts = (
        description
        if isinstance(description, (tuple, list))
        else ["" if description is None else description]
    )
    tags = next((part for part in parts if isinstance(part, (tuple, list))), ())
    options = _told(holder, "get_available_option_values", path)
    values, needs_model = options if _is_pair(options) else (options, False)
    turn = getattr(holder, "turn_type", None)
    return {
        "turn": turn if isinstance(turn, Turn) else Turn.SINGLE,
        "description": " ".join(next((part for part in parts if isinstance(part, str)), "").split()),
        "tags": tuple(str(tag.value if isinstance(tag, ModuleTag) else tag) for tag in tags),
        "options": tuple(map(str, values)) if isinstance(values, (tuple, list)) else (),
        "needs_model": needs_model is True,
        "model_calls": int(needs_model is True),
        "plays_turns": turn is Turn.MULTI,
    }


def _is_pair(options: Any) -> bool:
    return isinstance(options, (tuple, list)) and len(options) == 2 and isinstance(options[1], bool)


def _told(holder: Any, method: str, path: Path) -> Any:
    """What a method without arguments returns; None where there is none, or it fails."""
    called = getattr(holder, method, None)
    if not callable(called):
        return None
    try:
        with explained(path):
            return called()
    except ConfigurationError:
        return None


def _takes(attack: Callable[..., Any]) -> frozenset[str] | None:
    parameters = _parameters(attack)
    takes_all = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    return None if takes_all else frozenset(parameters)


def _parameters(attack: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(attack).parameters
    except (TypeError, ValueError):  # written in C, so that Python cannot tell
        return {}


def _check_signature(attack: Callable[..., Any], path: Path) -> None:
    """Raises ConfigurationError for an attack that cannot be called as attacks are."""
    parameters = _parameters(attack)
    line = getattr(getattr(inspect.unwrap(attack), "__code__", None), "co_firstlineno", None)
    kinds = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
    if any(is_kind(attack) for is_kind in kinds):
        message = "attack should be a plain function, neither async nor a generator."
        raise ConfigurationError([Problem(message, Place(path, line))])
    offered = dict.fromkeys(name for name in [*parameters][len(POSITIONAL) :] if name in _OPTIONAL)
    try:
        inspect.Signature([*parameters.values()]).bind(*POSITIONAL, **offered)
    except TypeError as error:
        if not parameters:
            return
        message = f"attack cannot be called as {_SIGNATURE}: {error}."
        hint = f"Further parameters it may declare: {', '.join(_OPTIONAL)}."
        raise ConfigurationError([Problem(message, Place(path, line), hint)]) from None


def _path(name: str, resolve: Callable[..., Path]) -> Path | None:
    """The script that `name` means; None where there is none."""
    is_path = name.endswith(_SUFFIX)
    places = (name, f"{_FOLDER}/{name}") if is_path else (f"{_FOLDER}/{name}{_SUFFIX}",)
    for place in places:
        try:
            return resolve(place)
        except ConfigurationError:
            continue
    return None


def _unknown(name: str, resolve: Callable[..., Path]) -> ConfigurationError:
    built_in = DYNAMIC_ATTACKS.names()
    suggestion = did_you_mean(name, [*built_in, *_scripts(resolve)])
    if name.endswith(_SUFFIX):
        message = f"the script {name!r} was not found.{suggestion}"
        hint = "Give its path from the project or from security/; those in security/attacks/ need none."
        return ConfigurationError([Problem(message, hint=hint)])
    message = f"there is no dynamic attack {name!r}.{suggestion}"
    hint = f"Valid: {', '.join(built_in)}, or the path of a script."
    return ConfigurationError([Problem(message, hint=hint)])


def _scripts(resolve: Callable[..., Path]) -> list[str]:
    """How the scripts in the folder for them would be named."""
    try:
        found = sorted(resolve(_FOLDER).glob(f"*{_SUFFIX}"))
    except (ConfigurationError, OSError):
        return []
    return [name for path in found for name in (path.stem, f"{_FOLDER}/{path.name}")]


def _without_attack(path: Path, module: ModuleType) -> ConfigurationError:
    unfinished = [
        value.__name__
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Attack) and value.__module__ == module.__name__
    ]
    what = f"{unfinished[0]} has no method attack" if unfinished else "there is no attack in this script"
    hint = f"Define a class that derives from Attack with that method, or a function: {_SIGNATURE}."
    return ConfigurationError([Problem(f"{what}.", Place(path), hint)])


def _error(message: str) -> ConfigurationError:
    return ConfigurationError([Problem(message)])
