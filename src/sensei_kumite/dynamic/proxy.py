"""What a script is handed: the target, the judge, and a progress bar; each notes what is done with it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from sensei_kumite.dynamic.content import Content, get_content_type, process_target_content
from sensei_kumite.dynamic.contract import AdvancedTargetWrapper
from sensei_kumite.dynamic.log import LONGEST_RESPONSE, Exchange, Judgement, Log
from sensei_kumite.dynamic.returned import ScriptMistake
from sensei_kumite.dynamic.sessions import Conversations
from sensei_kumite.errors import BudgetReached, KumiteError, TargetError, TargetRejected
from sensei_kumite.oracles.base import Oracle
from sensei_kumite.targets.python_output import print_to_log

CALLS_PER_ITERATION = 10
"""Target calls after which a search that does not end by itself is ended."""


class SearchEnded(BaseException):
    """Gets a script to stop that goes on after all it may do; no `except Exception` holds it back."""


class SearchStopped(Exception):
    """The run ends, and the search with it."""


class TargetModule(AdvancedTargetWrapper):
    """The target as scripts know it: `process_input`, `config`, `get_target`.

    Retries, throttling and timeouts lie below it. `lock` is held for the time of a call, so that a script may
    use threads. `stopped` tells that the run ends; `spent` how many calls were made so far, and retries among
    them.
    """

    def __init__(
        self,
        conversations: Conversations,
        log: Log,
        lock: AbstractContextManager[Any],
        *,
        iterations: int,
        stopped: Callable[[], bool] = lambda: False,
        spent: Callable[[], tuple[int, int]] = lambda: (0, 0),
    ) -> None:
        self._is_over = False
        self._stopped = stopped
        self._spent = spent
        self._conversations = conversations
        self._log = log
        self._lock = lock
        self._calls_left = CALLS_PER_ITERATION * (iterations + 1)

    @property
    def config(self) -> dict[str, Any]:
        """What the target can do, with the keys that scripts look for."""
        return {"single-turn": True, "multi-turn": True, "backtrack": self._conversations.backtracks}

    def get_target(self) -> TargetModule:
        """What is wrapped; there is nothing to be seen of it but the same."""
        return self

    def close(self) -> None:
        """Take no further call, from whichever thread; one that is under way is waited for."""
        with self._lock:
            self._is_over = True

    def process_input(
        self,
        input_text: Content | None = None,
        system_message: Content | None = None,
        logprobs: bool = False,  # noqa: ARG002  # no target of ours gives any
        input_id: Any = None,  # noqa: ARG002
        output_file: Any = None,  # noqa: ARG002
        spikee_session_id: Any = None,
        backtrack: bool = False,
        **more: Any,
    ) -> tuple[str, dict[str, Any]]:
        """Send one message: the answer, and what is to be known of it.

        A session id is one conversation; without one the call begins a fresh conversation. With `backtrack`
        the last exchange of the conversation is taken back first. Raises TargetError.
        """
        content = more.get("input") if input_text is None else input_text
        with self._lock:
            return self._exchange(
                content,
                None if spikee_session_id is None else str(spikee_session_id),
                None if system_message is None else process_target_content(system_message),
                backtrack=bool(backtrack),
            )

    def _exchange(
        self, content: Any, session_id: str | None, system_message: str | None, *, backtrack: bool
    ) -> tuple[str, dict[str, Any]]:
        self._check_that_it_may_go_on()
        exchange = Exchange(content if isinstance(content, str) else "", None, None, 0.0, session_id)
        started, before = time.perf_counter(), self._spent()
        try:
            if not isinstance(content, str):
                raise TargetRejected(f"the target takes text, not {_kind(content)}.")
            answer = self._conversations.say(content, session_id, system_message, backtrack=backtrack)
        except TargetError as error:
            exchange.error = str(error)
            self._note(exchange, started, before)
            raise
        except KumiteError as error:  # no answer will ever come; kept here, for the script may swallow it
            self._log.fatal.append(error)
            raise
        exchange.response, exchange.said = answer.text[:LONGEST_RESPONSE], answer.said
        exchange.truncated = len(answer.text) > LONGEST_RESPONSE
        self._note(exchange, started, before)
        told = {"response_time": exchange.seconds, "replayed_turns": answer.replayed}
        return exchange.response, told

    def _note(self, exchange: Exchange, started: float, before: tuple[int, int]) -> None:
        exchange.seconds = time.perf_counter() - started
        calls, retries = self._spent()
        exchange.calls, exchange.retries = calls - before[0], retries - before[1]
        self._log.exchanges.append(exchange)

    def _check_that_it_may_go_on(self) -> None:
        if not self._log.fatal and self._stopped():
            self._log.fatal.append(SearchStopped())
        if self._is_over:
            raise SystemExit  # ends a thread that the script left behind, without a word
        if self._log.fatal:
            raise SearchEnded
        self._calls_left -= 1
        if self._calls_left < 0:
            times = len(self._log.exchanges)
            self._log.fatal.append(ScriptMistake(f"called the target {times} times and did not end."))
            raise SearchEnded


def _kind(content: Any) -> str:
    kind = get_content_type(content)
    return kind if kind != "text" else type(content).__name__


@dataclass(frozen=True, slots=True)
class Judge:
    """`call_judge`: whether the attack succeeded, by the case's own oracle.

    Any failure of the oracle is raised; a spent budget is kept, too, for the script may swallow it.
    """

    oracle: Oracle[Any]
    log: Log
    prompt: str

    def __call__(self, entry: Mapping[str, Any], response: Any) -> bool:  # noqa: ARG002  # the contract's
        """True where the oracle does not pass `response`."""
        text = process_target_content(response)
        exchange = self.log.exchange_of(text)
        return not self.score(text, exchange).verdict.passed

    def score(self, text: str, exchange: Exchange | None) -> Judgement:
        """The judgement of `text`, which is noted."""
        try:
            verdict = self.oracle.score(exchange.text if exchange else self.prompt, text)
        except BudgetReached as error:
            self.log.fatal.append(error)
            raise
        if exchange is not None and (exchange.response or "").strip() == text.strip():
            exchange.verdict = verdict  # a verdict on a part of an answer is none on the answer
        judgement = Judgement(text, verdict, exchange)
        if self.log.answered:  # before that it can be nothing that the target said
            self.log.judgements.append(judgement)
        return judgement


class IterationBar:
    """A progress bar as scripts expect one; `changed` is told how many iterations came to `n` and `total`."""

    def __init__(self, total: int, changed: Callable[[int, int], None]) -> None:
        self.n = 0
        self._total = total
        self._changed = changed

    @property
    def total(self) -> int:
        """How many iterations are expected."""
        return self._total

    @total.setter
    def total(self, value: int | None) -> None:
        value = self._total if value is None else int(value)
        self._changed(0, value - self._total)
        self._total = value

    def update(self, n: int = 1) -> None:
        """`n` further iterations are done."""
        self.n += n
        self._changed(n, 0)

    def refresh(self, *_: Any, **__: Any) -> None:
        """Nothing to do: the bar is drawn by itself."""

    def write(self, text: str, **_: Any) -> None:
        """Print beside the bar: into the log."""
        print_to_log(text)

    def __enter__(self) -> IterationBar:
        return self

    def __exit__(self, *_: object) -> None:
        self.refresh()

    close = clear = display = set_description = set_postfix = set_postfix_str = reset = refresh
    set_description_str = refresh
