"""Runs one search on one case. Whatever a script does, it ends here: one script's mistake is one result."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sensei_kumite.dynamic.chat import INTERRUPTIONS
from sensei_kumite.dynamic.log import Log
from sensei_kumite.dynamic.outcome import Evidence, Tried, invoked, whole
from sensei_kumite.dynamic.proxy import IterationBar, Judge, SearchEnded, SearchStopped, TargetModule
from sensei_kumite.dynamic.returned import Attempt, Representative, ScriptMistake, read_returned
from sensei_kumite.dynamic.scripts import POSITIONAL, DynamicAttack
from sensei_kumite.dynamic.search import SearchContext
from sensei_kumite.dynamic.sessions import Conversations
from sensei_kumite.errors import BudgetReached, KumiteError, OracleError, TargetError, short_path
from sensei_kumite.models import Status
from sensei_kumite.oracles.base import Oracle
from sensei_kumite.text import excerpt

STOPPED = "The run ended before the search did."


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """Which search an entry asks for, and how far it may go.

    `attempts` invocations at most, each of `iterations` at most; `only` leaves out the standard attempt
    before it.
    """

    attack: DynamicAttack
    iterations: int
    options: str = ""
    attempts: int = 1
    return_all_attempts: bool = False
    only: bool = False

    @property
    def traces(self) -> bool:
        """Whether every try becomes a result: it was asked for, and the script can."""
        takes = self.attack.takes
        return self.return_all_attempts and (takes is None or "return_all_attempts" in takes)


@dataclass(frozen=True, slots=True)
class Equipment:
    """What the run gives a search: the target, the case's oracle, random numbers and a model by invocation,
    locks for the target and for progress bars, and whom to tell of progress.

    `stopped` tells that the run ends; `spent` how many target calls were made, and retries among them.
    """

    conversations: Conversations
    oracle: Oracle[Any]
    context: Callable[[int], SearchContext]
    target_lock: AbstractContextManager[Any]
    bar_lock: AbstractContextManager[Any]
    progress: Callable[[int, int], None] = lambda done, total: None  # noqa: ARG005
    stopped: Callable[[], bool] = lambda: False
    spent: Callable[[], tuple[int, int]] = lambda: (0, 0)


def search(plan: SearchPlan, entry: Mapping[str, Any], prompt: str, equipment: Equipment) -> list[Tried]:
    """The results of a search for a way around the target's resistance, at least one.

    Invokes the attack until it succeeds, `plan.attempts` times at most. Raises the error by which the run
    gives up on its target, whatever the script made of it.
    """
    tried: list[Tried] = []
    for invocation in range(1, plan.attempts + 1):
        results = _invoke(plan, entry, prompt, equipment, invocation)
        tried += invoked(results, invocation)
        if any(each.status in (Status.BREACHED, Status.SKIPPED) and not each.is_attempt for each in results):
            break
        if any(each.status is Status.BREACHED for each in results):
            break
    return tried if plan.traces else [whole(tried)]


def _invoke(
    plan: SearchPlan, entry: Mapping[str, Any], prompt: str, equipment: Equipment, invocation: int
) -> list[Tried]:
    log = Log()
    judge = Judge(equipment.oracle, log, prompt)
    evidence = Evidence(log, judge, prompt)
    found = _found(plan, entry, judge, equipment, invocation)
    for reason in log.fatal:
        if isinstance(reason, (BudgetReached, SearchStopped)):
            return [evidence.failed() if log.breach else evidence.skipped(str(reason) or STOPPED)]
        if isinstance(reason, ScriptMistake):
            return [evidence.failed({"dynamic": f"{_named(plan)} {reason}"})]
        raise reason
    if isinstance(found, dict):
        return [evidence.failed(found)]
    if isinstance(found, list):
        return evidence.attempts(found)
    return [evidence.representative(found, plan.iterations)]


def _found(
    plan: SearchPlan, entry: Mapping[str, Any], judge: Judge, equipment: Equipment, invocation: int
) -> Representative | list[Attempt] | dict[str, Any]:
    """What the script says it found, or the error that it ended with. Nothing that it raises gets out."""
    bar = IterationBar(plan.iterations, equipment.progress)
    equipment.progress(0, plan.iterations)
    target = TargetModule(
        equipment.conversations,
        judge.log,
        equipment.target_lock,
        iterations=plan.iterations,
        stopped=equipment.stopped,
        spent=equipment.spent,
    )
    token = INTERRUPTIONS.set(judge.log.fatal)
    try:
        offered = _offered(plan, bar, equipment, equipment.context(invocation))
        returned = _call(plan, copy.deepcopy(dict(entry)), target, judge, offered)
        return read_returned(returned, plan.iterations, traced=plan.traces)
    except SearchEnded:
        return {}  # the log says why
    except BudgetReached as error:
        judge.log.fatal.append(error)
        return {}
    except TargetError:
        return {}  # the log has it
    except ScriptMistake as mistake:
        return {"dynamic": f"{_named(plan)} {mistake}"}
    except BaseException as error:  # noqa: BLE001  # a script may raise anything, SystemExit as well
        return _explained(plan, error)
    finally:
        target.close()
        INTERRUPTIONS.reset(token)
        bar.total = bar.n


def _offered(
    plan: SearchPlan, bar: IterationBar, equipment: Equipment, context: SearchContext
) -> dict[str, Any]:
    """What the attack declares of what there is; a script from before an argument was thought of lacks it."""
    offered = {
        "attempts_bar": bar,
        "bar_lock": equipment.bar_lock,
        "attack_options": plan.options or None,
        "attack_option": plan.options or None,
        "return_all_attempts": plan.traces,
        "context": context,
    }
    takes = plan.attack.takes
    if takes is None:
        return {name: value for name, value in offered.items() if name != "attack_option"}
    return {name: value for name, value in offered.items() if name in takes}


def _call(
    plan: SearchPlan, entry: dict[str, Any], target: TargetModule, judge: Judge, offered: dict[str, Any]
) -> Any:
    """Call the attack: by the names of the contract where it has them, else in the contract's order."""
    given = dict(zip(POSITIONAL, (entry, target, judge, plan.iterations), strict=True))
    attack = plan.attack.start()
    if plan.attack.takes is not None and plan.attack.takes >= given.keys():
        return attack(**given, **offered)
    return attack(*given.values(), **offered)


def _named(plan: SearchPlan) -> str:
    return f"the dynamic attack {plan.attack.name}"


def _explained(plan: SearchPlan, error: BaseException) -> dict[str, Any]:
    """What we understood in a sentence, and else where in the script it happened."""
    if isinstance(error, OracleError):
        return {"oracle": str(error)}
    if isinstance(error, KumiteError):
        return {"dynamic": f"{_named(plan)} ended with: {error}"}
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename == plan.attack.source]
    what = _what(error)
    if inside:
        where = f"{short_path(Path(plan.attack.source))}:{inside[-1].lineno}"
        return {"dynamic": f"{where}: {_named(plan)} raised {what}"}
    if not isinstance(error, Exception):
        return {"dynamic": f"{_named(plan)} raised {what}"}
    return {"dynamic": "".join(traceback.format_exception(error)).rstrip()}


def _what(error: BaseException) -> str:
    """An exception in a few words, however it describes itself."""
    name = type(error).__name__
    try:
        text = str(error)
    except Exception:  # noqa: BLE001  # what a script raises may do anything when asked for its text
        return name
    return f"{name}: {excerpt(text, 500)}" if text else name
