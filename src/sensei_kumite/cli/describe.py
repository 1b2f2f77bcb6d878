"""What `--list-*` and `--describe-*` print: made from the registries and the parameter models alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.attacks.taxonomy import taxonomy_of
from sensei_kumite.config.fields import Block
from sensei_kumite.config.loader import Workspace
from sensei_kumite.engine.check import check
from sensei_kumite.errors import ConfigurationError, EnvironmentProblem, Place, Problem, UnknownName
from sensei_kumite.llm.roles import Models
from sensei_kumite.oracles.base import ORACLES
from sensei_kumite.text import did_you_mean


def attack_list() -> Iterator[str]:
    """One line per attack: its name and what it does."""
    return _list({name: ATTACKS.get(name).description for name in ATTACKS.names()})


def oracle_list() -> Iterator[str]:
    """One line per oracle: its name and when it passes."""
    return _list({name: ORACLES.get(name).description for name in ORACLES.names()})


def attack(name: str) -> Iterator[str]:
    """Everything about one attack; raises UnknownName."""
    attack_class = ATTACKS.get(name)
    yield f"{name}: {attack_class.description}"
    default = attack_class.default_oracle
    yield f"  default oracle: {default.type} {dict(default.params) or ''}".rstrip()
    yield f"  needs a generation model: {'yes' if attack_class.needs_generation else 'no'}"
    yield f"  can be rephrased: {attack_class.rephrases or 'no'}"
    yield f"  taxonomy: {', '.join(taxonomy_of(name)) or '-'}"
    yield from _params(attack_class.Params)


def oracle(name: str) -> Iterator[str]:
    """Everything about one oracle; raises UnknownName."""
    oracle_class = ORACLES.get(name)
    yield f"{name}: {oracle_class.description}"
    yield f"  passes (resilient) when {oracle_class.passes_when}"
    yield from _params(oracle_class.Params)


def dynamic_attack_list() -> Iterator[str]:
    """One line per built-in dynamic attack: its name and what it does."""
    from sensei_kumite.dynamic.scripts import list_attacks

    return _list(dict(list_attacks()))


def dynamic_attack(name: str, project: Path | None, *, safe: bool) -> Iterator[str]:
    """Everything about one dynamic attack, a script of the workspace `project` among them; raises
    ConfigurationError."""
    from sensei_kumite.dynamic.scripts import describe_attack, find_attack
    from sensei_kumite.files import resolve_path

    if project is not None and not project.is_dir():
        raise ConfigurationError([Problem("this folder does not exist.", Place(project))])

    def resolve(name: str) -> Path:
        folders = [Path.cwd()] if project is None else [project / "security", project, Path.cwd()]
        return resolve_path(name, folders)

    return describe_attack(find_attack(name, resolve=resolve, generation=None, safe=safe))


def written_schemas(folder: Path) -> Iterator[str]:
    """Write the JSON Schemas of both files into `folder`; a line per file written."""
    from sensei_kumite.config.schema import Names, write_schemas
    from sensei_kumite.targets import technologies

    try:
        paths = write_schemas(folder, Names(ATTACKS.names(), ORACLES.names(), technologies()))
    except OSError as error:
        raise EnvironmentProblem(f"{folder} cannot be written: {error.strerror}.") from None
    for path in paths:
        yield f"Wrote {path}"


def custom_attacks(workspace: Workspace, models: Models, name: str) -> Iterator[str]:
    """The custom attack files of the campaign, or the one called `name`; raises ConfigurationError."""
    plan, problems = check(workspace, models)
    errors = [problem for problem in [*workspace.problems, *problems] if problem.severity == "error"]
    if errors:
        raise ConfigurationError(errors)
    attacks = [planned.attack for planned in plan.attacks if planned.entry.name == "custom_benchmark"]
    names = [attack.report_name for attack in attacks]
    if name and name not in names:
        raise UnknownName(
            f"No custom attack is called {name!r}.{did_you_mean(name, names)}",
            hint=f"Configured: {', '.join(names) or 'none'}.",
        )
    for attack in attacks:
        if name in ("", attack.report_name):
            yield f"{attack.report_name}: {attack.summary}"
            yield from (f"  {line}" for line in attack.details())


def _list(descriptions: dict[str, str]) -> Iterator[str]:
    width = max(map(len, descriptions))
    for name, description in descriptions.items():
        yield f"{name:<{width}}  {description}"


def _params(model: type[Block]) -> Iterator[str]:
    """A line per parameter: name, type, default, meaning."""
    schema = model.model_json_schema()
    required = set(schema.get("required", []))
    properties: dict[str, Any] = schema.get("properties", {})
    yield "  params:" if properties else "  params: none"
    for name, field in properties.items():
        default = "required" if name in required else f"default {field.get('default')!r}"
        yield f"    {name} ({_type(field)}, {default})  {field.get('description', '')}".rstrip()


def _type(field: dict[str, Any]) -> str:
    if "anyOf" in field:
        return " or ".join(_type(option) for option in field["anyOf"] if option.get("type") != "null")
    if "enum" in field:
        return " | ".join(map(str, field["enum"]))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    kind = str(field.get("type", "any"))
    return {"string": "text", "object": "map", "boolean": "true/false"}.get(kind, kind)
