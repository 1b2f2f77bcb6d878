"""Targets and oracles that the engine's tests are told with: real classes of ours, no mocks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import sensei_kumite.oracles  # noqa: F401  # registers the oracles
from sensei_kumite.config.campaign import EntryExecution
from sensei_kumite.delivery.turns import turns_of
from sensei_kumite.engine.case import CaseContext, Delivery
from sensei_kumite.engine.journal import write_plan
from sensei_kumite.engine.limits import Limits
from sensei_kumite.engine.runner import RunContext
from sensei_kumite.errors import TargetError
from sensei_kumite.models import Case, OracleSpec
from sensei_kumite.oracles.base import Oracle, OracleContext, build_oracle
from sensei_kumite.targets.base import Session, Target

LEAK = OracleSpec("keyword_absent", {"keywords": ["secret"]})
DIRECT = EntryExecution()


def case(
    number: int = 1, prompt: str = "hi", oracle: OracleSpec = LEAK, entry: int = 0, **metadata: Any
) -> Case:
    return Case(entry, "attack", f"attack_{number}", number, prompt, oracle, metadata)


def oracle_of(spec: OracleSpec) -> Oracle[Any]:
    return build_oracle(spec, OracleContext(Path))


class Recorder(Target):
    """A target whose sessions answer with a function and record which conversation said what."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.opened = 0
        self.conversations: list[list[str]] = []
        self.lock = threading.Lock()

    def open(self) -> Session:
        with self.lock:
            self.opened += 1
        return _RecorderSession(self)


class _RecorderSession(Session):
    def __init__(self, target: Recorder) -> None:
        self._target = target
        self._conversation: list[str] = []
        self.reset()

    def send(self, text: str) -> str:
        self._conversation.append(text)
        return self._target.answer(text)

    def reset(self) -> bool:
        self._conversation = []
        with self._target.lock:
            self._target.conversations.append(self._conversation)
        return True


class Failing(Recorder):
    """Raises the given errors one after the other, then answers."""

    def __init__(self, errors: Sequence[TargetError], answer: str = "fine") -> None:
        self._errors = iter(errors)
        super().__init__(self._next)
        self._answer = answer

    def _next(self, text: str) -> str:
        error = next(self._errors, None)
        if error is not None:
            raise error
        return self._answer


def delivery(execution: EntryExecution) -> Delivery:
    return Delivery(execution, turns_of(execution))


def case_context(executions: dict[int, EntryExecution] | None = None) -> CaseContext:
    deliveries = {entry: delivery(execution) for entry, execution in (executions or {0: DIRECT}).items()}
    return CaseContext(deliveries, oracle_of)


def context(
    target: Target, executions: dict[int, EntryExecution] | None = None, *, lanes: int = 1, **more: Any
) -> RunContext:
    return RunContext(
        target=target,
        limits=more.pop("limits", Limits(retries=0)),
        lanes=lanes,
        cases=case_context(executions),
        interrupted=more.pop("interrupted", threading.Event()),
        record=more.pop("record", lambda index, result: None),
        **more,
    )


def plan_of(folder: Path, cases: Sequence[Case]) -> Path:
    path = folder / "plan.jsonl"
    write_plan(path, cases)
    return path
