"""Who the simulated user is: which identity an entry gets, and reading the profile that describes it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict

from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.config.fields import Block, Text
from sensei_kumite.config.loader import Workspace
from sensei_kumite.config.problems import validated
from sensei_kumite.delivery.personalities import ENDINGS, first_file, read_context
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_reader import Document, YamlPath, load_yaml

LANGUAGE = "English"
_WHERE = "It is looked for as a path, then in profiles/."
_NAMES_OF_PROFILE = ("reference_profile", "user_profile", "default_profile")


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("is empty")
    return text.strip()


_Filled = Annotated[Text, AfterValidator(_filled)]


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom a simulation model plays. `source` is the file that says so."""

    role: str
    language: str
    context: str
    source: str
    source_type: Literal["reference_profile", "inline"]


class _User(Block):
    """What is read of a profile; the rest belongs to the tools that share the file."""

    model_config = ConfigDict(extra="ignore")

    role: _Filled
    language: _Filled = LANGUAGE


class _Profile(Block):
    """A profile file."""

    model_config = ConfigDict(extra="ignore")

    user: _User


def find_identities(workspace: Workspace) -> tuple[dict[int, Identity], list[Problem]]:
    """Who every enabled entry with a simulated user simulates, by position; and all that is wrong there.

    An entry that names nobody has no identity and no problem: loading the campaign has reported it.
    """
    identities: dict[int, Identity] = {}
    problems: dict[Problem, None] = {}
    for position, entry in workspace.entries:
        if not entry.enabled or entry.execution.mode != "simulated_user":
            continue
        try:
            identity = find_identity(entry.execution, workspace, path=("attacks", position, "execution"))
        except ConfigurationError as error:
            problems |= dict.fromkeys(error.problems)
        else:
            if identity is not None:
                identities[position] = identity
    return identities, list(problems)


def find_identity(execution: EntryExecution, workspace: Workspace, *, path: YamlPath) -> Identity | None:
    """Whom an entry simulates, its execution block standing at `path` of the campaign; None if nobody.

    The entry's profile comes first, then that of the campaign, then what stands under `simulation`.
    Raises ConfigurationError with everything that is wrong with the profile and its personality.
    """
    simulation = workspace.campaign.simulation
    for block, name in ((path, execution.reference_profile), (("simulation",), simulation.reference_profile)):
        if name:
            return _read_profile(_find_profile(name, workspace, block), workspace)
    if not simulation.role:
        return None
    return Identity(
        role=simulation.role.strip(),
        language=simulation.language or LANGUAGE,
        context=read_context(workspace.document, "simulation", workspace),
        source=str(workspace.document.path),
        source_type="inline",
    )


def simulation_profile(identity: Identity) -> dict[str, str]:
    """What `metadata.simulation_profile` of a result tells."""
    return asdict(identity)


def _find_profile(name: str, workspace: Workspace, block: YamlPath) -> Path:
    """The file of a profile that is named in `block` of the campaign: at that path, or in profiles/."""
    bases = (name, f"profiles/{name}")
    try:
        return first_file([f"{base}{ending}" for base in bases for ending in ("", *ENDINGS)], workspace)
    except ConfigurationError as error:
        [problem, *_] = error.problems
    profiles = [path.stem for path in (workspace.project / "profiles").glob("*.y*ml")]
    hint = problem.hint and (did_you_mean(name, profiles).strip() or _WHERE)
    place = _place_of_name(workspace.document, block)
    raise ConfigurationError([Problem(f"reference_profile: {problem.message}", place, hint)])


def _place_of_name(document: Document, block: YamlPath) -> Place:
    """Where the profile is named, under whichever of the key's names."""
    whole = document.place(block)
    places = (document.place((*block, key)) for key in _NAMES_OF_PROFILE)
    return next((place for place in places if place != whole), whole)


def _read_profile(path: Path, workspace: Workspace) -> Identity:
    document = load_yaml(path)
    profile, problems = validated(_Profile, document)
    context = ""
    try:
        context = read_context(document, "user", workspace)
    except ConfigurationError as error:
        problems += error.problems
    if profile is None or problems:
        raise ConfigurationError(problems)
    user = profile.user
    return Identity(user.role, user.language, context, str(path), "reference_profile")
