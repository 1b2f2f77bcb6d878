"""From a workspace folder to checked configuration: defaults < security.yml < run.yml < command line.

All problems of both files are collected; only a file that cannot be read at all ends loading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sensei_kumite.config.campaign import AttackEntry, Campaign, DynamicSearch
from sensei_kumite.config.campaign_file import Entries, read_campaign
from sensei_kumite.config.run_file import RunFile, read_run_file
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.files import resolve_path
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_reader import Document, YamlPath, load_yaml, parse_yaml

RUN_FILES = ("run.yml", "run.yaml")
_CREATE = "sensei-kumite-init-project creates a workspace that runs as it is."


@dataclass(frozen=True, slots=True)
class Overrides:
    """Values of the command line; None, or nothing, where one was not given. `dynamic` holds keys of the
    block of that name, for every entry."""

    concurrency: int | None = None
    seed: int | None = None
    reports: tuple[str, ...] = ()
    dynamic: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project folder with its configuration.

    `entries` are the valid attacks, enabled or not, each with its position in the file from 0;
    `problems` are all errors and warnings found so far. With `safe`, no path leads out of `project`.
    `typed` is what the command line said.
    """

    project: Path
    campaign: Campaign
    document: Document
    run_file: RunFile
    run_document: Document
    entries: Entries
    problems: tuple[Problem, ...]
    safe: bool = False
    typed: Overrides = Overrides()

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that keep the campaign from running."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def concurrency_is_set(self) -> bool:
        """Whether somebody chose the number of lanes, rather than left it at its default."""
        return "concurrency" in self.campaign.execution.model_fields_set

    def run_place(self, path: YamlPath = ()) -> Place:
        """Where the value at `path` stands in run.yml."""
        return self.run_document.place(path)

    def resolve(self, name: str, *, beside: Path | None = None) -> Path:
        """The file or folder `name`: beside the file that names it, in security/, or in the project.

        Raises ConfigurationError where it is in none of them, and where `safe` forbids to go there.
        """
        neighbours = (beside or self.document.path).parent
        folders = [neighbours, self.project / "security", self.project]
        return resolve_path(name, folders, within=self.project if self.safe else None)


def load_workspace(
    project: Path | None,
    *,
    config: Path | None = None,
    overrides: Overrides = Overrides(),
    safe: bool = False,
) -> Workspace:
    """Read run.yml and security.yml of the folder `project`; `config` names another campaign file.

    Raises ConfigurationError where a file is missing or cannot be parsed; everything else that is wrong
    is in the workspace's `problems`.
    """
    files = _Files(_project_folder(project, config), config, safe)
    run_document, failures = _attempt(files.load_run_file)
    run_file, run_problems = read_run_file(run_document) if run_document else (RunFile(), [])
    if run_document is None and not files.has_campaign(run_file):
        raise ConfigurationError(failures)
    document, more = _attempt(lambda: files.load_campaign(run_file, run_document))
    if run_document is None or document is None:
        raise ConfigurationError([*failures, *more, *run_problems])
    campaign, entries, problems = read_campaign(document)
    return Workspace(
        project=files.folder,
        campaign=_with_overrides(campaign, overrides),
        document=document,
        run_file=run_file,
        run_document=run_document,
        entries=tuple((position, _with_search(entry, overrides.dynamic)) for position, entry in entries),
        problems=(*run_problems, *files.warnings(), *problems),
        safe=safe,
        typed=overrides,
    )


def _attempt(load: Callable[[], Document]) -> tuple[Document | None, list[Problem]]:
    try:
        return load(), []
    except ConfigurationError as error:
        return None, error.problems


def _project_folder(project: Path | None, config: Path | None) -> Path:
    """The workspace, absolute; without one the folder that `config` belongs to."""
    if project is None:
        if config is None:
            raise ConfigurationError([Problem("no workspace was named.", hint=_CREATE)])
        parent = config.absolute().parent
        project = parent.parent if parent.name == "security" else parent
    try:
        folder = project.expanduser().resolve(strict=True)
    except FileNotFoundError:
        raise ConfigurationError([Problem("this folder does not exist.", Place(project), _CREATE)]) from None
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            [Problem(f"this folder cannot be opened: {reason}.", Place(project))]
        ) from None
    if not folder.is_dir():
        message = "this is a file where a workspace folder belongs."
        raise ConfigurationError([Problem(message, Place(project), "Give the folder that holds run.yml.")])
    return folder


@dataclass(frozen=True, slots=True)
class _Files:
    """The two files of a workspace: found, then parsed."""

    folder: Path
    config: Path | None
    safe: bool

    def load_run_file(self) -> Document:
        """run.yml, or nothing where `config` makes it optional."""
        names = self._run_files()
        if names:
            return load_yaml(self._find(names[0]))
        if self.config:
            return parse_yaml("", self.folder / RUN_FILES[0])
        message = f"this folder holds no {RUN_FILES[0]}, so it is no workspace."
        raise ConfigurationError([Problem(message, Place(self.folder), _CREATE)])

    def load_campaign(self, run_file: RunFile, run_document: Document | None) -> Document:
        """The campaign that the command line or else run.yml names."""
        if self.config:
            return load_yaml(resolve_path(str(self.config), [Path.cwd(), self.folder]))
        name = run_file.security.config
        try:
            return load_yaml(self._find(name))
        except ConfigurationError as error:
            place = run_document.place(("security", "config")) if run_document else Place(self.folder)
            problems = [self._missing(name, problem).at(place) for problem in error.problems]
            raise ConfigurationError(problems) from None

    def _missing(self, name: str, problem: Problem) -> Problem:
        """Say what the file is, and offer one that looks like it."""
        if problem.place:
            return problem
        found = [*self.folder.glob("*.y*ml"), *self.folder.glob("security/*.y*ml")]
        close = did_you_mean(name, [path.relative_to(self.folder).as_posix() for path in found]).strip()
        return Problem(f"security > config: {problem.message}", hint=close or problem.hint)

    def has_campaign(self, run_file: RunFile) -> bool:
        """Whether there is a campaign to look at although run.yml cannot be read."""
        try:
            return bool(self.config or self._find(run_file.security.config))
        except ConfigurationError:
            return False

    def warnings(self) -> list[Problem]:
        """What may not be as it was meant."""
        first, *others = self._run_files() or [""]
        return [
            Problem(
                f"is not read, because {first} is there too.", Place(self.folder / other), severity="warning"
            )
            for other in others
        ]

    def _run_files(self) -> list[str]:
        try:
            present = {path.name for path in self.folder.iterdir()}
        except OSError as error:
            message = f"this folder cannot be read: {error.strerror}."
            raise ConfigurationError([Problem(message, Place(self.folder))]) from None
        return [name for name in RUN_FILES if name in present]

    def _find(self, name: str) -> Path:
        return resolve_path(name, [self.folder], within=self.folder if self.safe else None)


def _with_search(entry: AttackEntry, typed: Mapping[str, Any]) -> AttackEntry:
    """The entry with the dynamic attack of the command line, or its own as the command line changes it."""
    if "attack" in typed:
        search = DynamicSearch(**typed)
    elif entry.dynamic and typed:
        search = entry.dynamic.model_copy(update=dict(typed))
    else:
        return entry
    return entry.model_copy(update={"dynamic": search})


def _with_overrides(campaign: Campaign, overrides: Overrides) -> Campaign:
    given = {"concurrency": overrides.concurrency, "seed": overrides.seed}
    execution = {key: value for key, value in given.items() if value is not None}
    update: dict[str, Any] = {"execution": campaign.execution.model_copy(update=execution)}
    if overrides.reports:
        update["reports"] = list(overrides.reports)
    return campaign.model_copy(update=update)
