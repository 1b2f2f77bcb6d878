"""`sensei-kumite-init-project`: create a workspace that validates and runs as it is."""

from __future__ import annotations

import argparse
import shlex
import shutil
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import count
from pathlib import Path

from sensei_kumite.attacks.base import ATTACKS
from sensei_kumite.config.schema import Names, write_schemas
from sensei_kumite.errors import EXIT_OK, ConfigurationError, EnvironmentProblem, KumiteError, Problem
from sensei_kumite.oracles.base import ORACLES
from sensei_kumite.targets import technologies

TEMPLATES = ("minimal", "pizza-order")
FOLDERS = (
    "profiles",
    "personalities",
    "pricing",
    "security/attacks",
    "security/datasets",
    "security/policies",
    "security/schemas",
)
SCHEMAS = ".schemas"


def main(argv: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parse(argv)
    try:
        project = create_project(options.path, options.name, template=options.template)
    except KumiteError as error:
        print(f"sensei-kumite-init-project: {error}", file=sys.stderr)
        return error.exit_code
    print(f"Created {project}")
    print(f"Next: sensei-kumite --run-from-yaml {shlex.quote(str(project))}")
    return EXIT_OK


def create_project(parent: Path, name: str | None = None, *, template: str = "minimal") -> Path:
    """Create a workspace in `parent`, beside anything that is there; returns its absolute path.

    Without a name it takes the first free `Untitled_project_N`, and `NAME_N` where NAME is taken.
    Raises ConfigurationError for a name that is no folder name, EnvironmentProblem where the disk
    or its permissions are in the way; then nothing is left behind.
    """
    _check_name(name)
    try:
        project = _take(parent.resolve(), name)
    except OSError as error:
        raise _cannot_create(parent, error) from None
    try:
        _fill(project, template)
    except OSError as error:
        shutil.rmtree(project, ignore_errors=True)
        raise _cannot_create(project, error) from None
    return project


def _parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="sensei-kumite-init-project",
        description="Create a workspace for sensei-kumite. Nothing that exists is overwritten.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "-p", "--path", type=Path, default=Path(), metavar="DIR", help="where to create it (default: here)"
    )
    parser.add_argument(
        "-n", "--name", metavar="NAME", help="name of its folder (default: Untitled_project_N)"
    )
    parser.add_argument(
        "--template",
        choices=TEMPLATES,
        default="minimal",
        help="minimal: every setting with a comment (default); pizza-order: the example campaign",
    )
    return parser.parse_args(argv)


def _check_name(name: str | None) -> None:
    if name is not None and (not name.strip(". ") or ".." in name or set(name) & set("/\\\0")):
        problem = Problem(
            f"{name!r} cannot be the name of a project.",
            hint="Give one folder name without / \\ or .. in it; --path says where the folder goes.",
        )
        raise ConfigurationError([problem])


def _take(parent: Path, name: str | None) -> Path:
    """Create the first folder whose name is free; raises OSError."""
    parent.mkdir(parents=True, exist_ok=True)
    for candidate in _candidates(name):
        project = parent / candidate
        try:
            project.mkdir()
        except FileExistsError:
            continue
        return project
    raise AssertionError("there is always a next candidate")


def _candidates(name: str | None) -> Iterator[str]:
    if name is not None:
        yield name
    yield from (f"{name or 'Untitled_project'}_{number}" for number in count(1))


def _fill(project: Path, template: str) -> None:
    for folder in FOLDERS:
        (project / folder).mkdir(parents=True)
    templates = files("sensei_kumite") / "resources" / "templates"
    _copy(templates / template, project)
    _copy(templates / "attacks", project / "security" / "attacks")
    write_schemas(project / SCHEMAS, Names(ATTACKS.names(), ORACLES.names(), technologies()))


def _copy(source: Traversable, target: Path) -> None:
    """Copy the contents of a packaged folder, with the permissions of new files."""
    for item in source.iterdir():
        if item.is_dir():
            (target / item.name).mkdir(exist_ok=True)
            _copy(item, target / item.name)
        else:
            (target / item.name).write_bytes(item.read_bytes())


def _cannot_create(path: Path, error: OSError) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"Cannot create a project in {path}: {error.strerror or error}.",
        hint="Choose another folder with --path.",
    )


if __name__ == "__main__":
    sys.exit(main())
