"""The nouns of a run: plain frozen data, without behaviour and without knowledge of files or threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """What became of one attempt; the value is the word in reports."""

    RESILIENT = "resilient"
    BREACHED = "breached"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class OracleSpec:
    """Which oracle scores a response, with its parameters as the user wrote them."""

    type: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """One final prompt with its oracle, ready to be sent.

    `entry` is the position of the attack entry in the campaign, counted from 0; `attempt` counts the
    cases of that entry from 1. (entry, case_id, attempt) identifies a case within a run. A case with a
    `skip_reason` was planned, but is not to be sent.
    """

    entry: int
    attack: str
    case_id: str
    attempt: int
    prompt: str
    oracle: OracleSpec
    metadata: Mapping[str, Any] = field(default_factory=dict)
    skip_reason: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to the target and what came back: an answer or an error, and the seconds it took.

    `truncated` says that the answer was longer than what is kept of it.
    """

    user: str
    assistant: str | None
    error: str | None
    seconds: float
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as it happened: the pre-attack turns, then the attack itself.

    `attack` is None where a failing warm-up ended the conversation before the final prompt: the target
    failed in the last turn, or `failure` says why the simulated user could not write a further one.
    """

    pre_attack: tuple[Turn, ...]
    attack: Turn | None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """An oracle's judgement of one response. `passed` means the target resisted."""

    passed: bool
    reason: str
    evidence: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one case; `metadata` holds the case's own and that of its execution.

    `search` are the results of the dynamic attack that went on from here.
    """

    case: Case
    status: Status
    reason: str
    response: str | None = None
    verdict: Verdict | None = None
    transcript: Transcript | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    errors: tuple[Mapping[str, Any], ...] = ()
    search: tuple[Result, ...] = ()


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The plan is complete: `total` cases will be executed by `lanes` lanes."""

    total: int
    lanes: int


@dataclass(frozen=True, slots=True)
class CaseFinished:
    """One case has its result; `index` is its place in the plan, from 0."""

    index: int
    result: Result


@dataclass(frozen=True, slots=True)
class RunFinished:
    """No more results will come. `interrupted` says that the run ended before its plan did, because somebody
    wanted it to, or for the `reason` given."""

    finished: int
    interrupted: bool
    reason: str = ""


Event = RunStarted | CaseFinished | RunFinished
