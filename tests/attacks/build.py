"""Attacks as the plan builds them and writes their prompts, for tests that need no workspace around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import sensei_kumite.attacks  # noqa: F401  # registers the strategies
from sensei_kumite.attacks.base import ATTACKS, Attack, AttackContext, Prompt
from sensei_kumite.config.campaign import AttackEntry
from sensei_kumite.files import resolve_path
from sensei_kumite.llm.offline.model import OfflineModel
from sensei_kumite.llm.requests import Model, ModelSettings, Request, Role, billed_to
from sensei_kumite.oracles.refusals import find_refusal


class ScriptedModel(Model):
    """Gives its answers one after the other, the last one again and again; an exception is raised."""

    def __init__(self, *answers: str | Exception) -> None:
        self.settings = ModelSettings(Role.GENERATION)
        self.requests: list[Request] = []
        self._answers = answers

    @property
    def told(self) -> str:
        """All that the latest request says."""
        return "\n".join(message.content for message in self.requests[-1].messages)

    def complete(self, request: Request) -> str:
        answer = self._answers[min(len(self.requests), len(self._answers) - 1)]
        self.requests.append(request)
        if isinstance(answer, Exception):
            raise answer
        return answer


def offline(seed: int = 0) -> OfflineModel:
    """The offline provider as the generation model."""
    return OfflineModel(ModelSettings(Role.GENERATION, provider="offline"), seed)


def found(folder: Path, name: str, *, beside: Path | None = None) -> Path:
    """The file `name`, beside another one or in `folder`."""
    return resolve_path(name, [beside.parent, folder] if beside else [folder])


def context(model: Model | None = None, *, folder: Path = Path(), seed: int = 0) -> AttackContext:
    """What a strategy may know of a run; without a model, generation is switched off."""
    return AttackContext(
        attempts=1,
        resolve=partial(found, folder),
        random=lambda source: Random(f"{seed}/{source}"),
        check_oracle=lambda *_: [],
        is_refusal=lambda text: find_refusal(text) is not None,
        generation=None if model is None else lambda **overrides: model,
    )


def attack(
    name: str,
    folder: Path = Path(),
    *,
    attempts: int = 1,
    seed: int = 0,
    model: Model | None = None,
    target_context: str = "",
    **entry: Any,
) -> Attack[Any]:
    """The attack of one campaign entry; `folder` is where its files are looked for."""
    attack_class = ATTACKS.get(name)
    read = AttackEntry.model_validate({"name": name, **entry})
    run = context(model, folder=folder, seed=seed)
    run = replace(run, attempts=attempts, target_context=target_context)
    return attack_class(read, attack_class.Params.model_validate(read.params), run)


def written(built: Attack[Any]) -> Iterator[Prompt]:
    """The prompts of an attack, drafts written out one by one and billed as the plan does it."""
    for number, draft in enumerate(built.prompts(), 1):
        if isinstance(draft, Prompt):
            yield draft
        else:
            with billed_to(f"1/{built.case_prefix}_{number}"):
                prompt = draft()
            yield prompt


def first_prompt(name: str, *answers: str | Exception, **entry: Any) -> Prompt:
    """The first prompt of an attack whose model gives these answers."""
    return next(written(attack(name, model=ScriptedModel(*answers), **entry)))
