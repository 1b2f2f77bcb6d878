"""Environment variables that connector_params name. Their values are secrets, for one server only."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from sensei_kumite.errors import Problem
from sensei_kumite.llm.providers import is_local, load_environment
from sensei_kumite.targets.parameters import spellings


class Variables:
    """The environment, completed by `.env` in the folder `project`; keeps what was asked for.

    Raises EnvironmentProblem where that file cannot be read.
    """

    def __init__(self, project: Path) -> None:
        self._environment = load_environment(project)
        self._used: dict[str, str] = {}
        self._problems: dict[str, Problem] = {}

    def value(self, name: str, parameter: str) -> str:
        """The value of a variable that `parameter` names; empty, and a problem, where it has none."""
        value = self._environment.get(name, "").strip()
        if value:
            self._used[name] = value
        else:
            message = f"the environment variable {name}, which the connector parameter {parameter} names, "
            hint = "Set it in the environment or in .env beside run.yml."
            self._problems.setdefault(name, Problem(f"{message}is not set.", hint=hint, key=parameter))
        return value

    def lacks(self, parameter: str) -> bool:
        """Whether a variable that `parameter` names first has no value."""
        return any(problem.key == parameter for problem in self._problems.values())

    def problems(self, url: str, *, confined: bool) -> list[Problem]:
        """Variables without a value; and whether the server of `url` may have values at all.

        `url` is empty where there is none that can be read: then nothing is said of the server.
        """
        found = list(self._problems.values())
        if confined and url and (self._used or self._problems) and not is_local(url):
            message = "--safe sends no key to a server that the workspace names."
            found.append(Problem(message, hint="Use a local server, or no environment variable."))
        return found

    @property
    def secrets(self) -> tuple[str, ...]:
        """The values that were asked for, as they may be written, also in an address."""
        values = self._used.values()
        return tuple(spellings([*values, *(quote(value, safe="") for value in values)]))
