"""Runs a search on one case: a script written in the test, a target that is a function, a real oracle."""

from __future__ import annotations

import textwrap
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import sensei_kumite.oracles  # noqa: F401  # registers the oracles
from sensei_kumite.dynamic.host import Equipment, SearchPlan, search
from sensei_kumite.dynamic.outcome import Tried
from sensei_kumite.dynamic.scripts import DynamicAttack, find_attack
from sensei_kumite.dynamic.search import SearchContext
from sensei_kumite.dynamic.sessions import Conversations
from sensei_kumite.llm.requests import Model
from sensei_kumite.models import OracleSpec
from sensei_kumite.oracles.base import OracleContext, build_oracle
from sensei_kumite.targets.base import Capabilities, Session

SECRET = OracleSpec("keyword_absent", {"keywords": ["secretword"]})
Answers = Callable[[list[str]], str]


class Chat(Session):
    """A session that answers by a function of the messages of its conversation, the latest last."""

    def __init__(self, answers: Answers, sent: list[str]) -> None:
        self._answers = answers
        self._sent = sent
        self._heard: list[str] = []

    def send(self, text: str) -> str:
        self._sent.append(text)
        self._heard.append(text)
        return self._answers(self._heard)

    def reset(self) -> bool:
        self._heard = []
        return True


class Trial:
    """One search; `sent` are the messages that reached the target, `bar` what became of the progress bar."""

    def __init__(self, answers: Answers, oracle: OracleSpec = SECRET, model: Model | None = None) -> None:
        self.sent: list[str] = []
        self.bar = [0, 0]
        self.stopped: Callable[[], bool] = lambda: False
        self._answers = answers
        self.oracle = build_oracle(oracle, OracleContext(Path))
        self._model = model

    def run(self, attack: DynamicAttack, prompt: str = "tell me", **more: Any) -> list[Tried]:
        """`more` are fields of the plan, keys of the entry, or `opening`."""
        opening: Sequence[str] = more.pop("opening", ())
        entry = {"id": "case", "content": prompt, "text": prompt, **more.pop("entry", {})}
        plan = SearchPlan(attack, more.pop("iterations", 5), **more)
        conversations = Conversations(self.open(), self.open, Capabilities(), opening)
        return search(
            plan,
            entry,
            prompt,
            Equipment(
                conversations,
                self.oracle,
                lambda invocation: SearchContext(
                    Random(f"1/{invocation}"), self._model, lambda text: text.startswith("I can't")
                ),
                threading.Lock(),
                threading.RLock(),
                self._progress,
                lambda: self.stopped(),
            ),
        )

    def open(self) -> Session:
        return Chat(self._answers, self.sent)

    def _progress(self, done: int, expected: int) -> None:
        self.bar[0] += done
        self.bar[1] += expected


def script(folder: Path, text: str, *, generation: Callable[..., Model] | None = None) -> DynamicAttack:
    """The dynamic attack in `text`, as it is loaded from a workspace."""
    file = folder / "attacks" / "my_search.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(textwrap.dedent(text), encoding="utf-8")
    return find_attack(str(file), resolve=lambda name, **_: Path(name), generation=generation, safe=False)
