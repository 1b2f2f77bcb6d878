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

CALLS_PER_ITERATION = 50
"""Target calls after which a search that does not end by itself is ended."""


class SearchEnded(BaseException):
    """Gets a script to stop that goes on after all it may do; no `except Exception` holds it back."""


class TargetModule(AdvancedTargetWrapper):
    """The target as scripts know it: `process_input`, `config`, `get_target`.

    Retries, throttling and timeouts lie below it. `lock` is held for the time of a call, so that a script may
    use threads.
    """

    def __init__(
        self,
        conversations: Conversations,
        log: Log,
        lock: AbstractContextManager[Any],
        *,
        iterations: int,
    ) -> None:
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
        started = time.perf_counter()
        text = content if isinstance(content, str) else ""
        try:
            if not isinstance(content, str):
                raise TargetRejected(f"the target takes text, not {_kind(content)}.")
            answer = self._conversations.say(content, session_id, system_message, backtrack=backtrack)
        except TargetError as error:
            self._note(Exchange(text, None, str(error), time.perf_counter() - started, session_id))
            raise
        except KumiteError as error:  # no answer will ever come; kept here, for the script may swallow it
            self._log.fatal.append(error)
            raise
        response = answer.text[:LONGEST_RESPONSE]
        seconds = time.perf_counter() - started
        self._note(Exchange(text, response, None, seconds, session_id, answer.said))
        return response, {"response_time": seconds, "replayed_turns": answer.replayed}

    def _note(self, exchange: Exchange) -> None:
        self._log.exchanges.append(exchange)

    def _check_that_it_may_go_on(self) -> None:
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
        if exchange is not None:
            exchange.verdict = verdict
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

    close = clear = display = set_description = set_postfix = set_postfix_str = reset = refresh
    set_description_str = refresh
