"""Asking the model of a search for one text. What it says is data, and no text is a possible answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sensei_kumite.attacks.generation import ABOUT_THE_TEST, bare
from sensei_kumite.dynamic.search import SearchContext
from sensei_kumite.errors import ModelError
from sensei_kumite.llm.requests import Message, Purpose, Request

_LONGEST_ANSWER = 50_000


def ask(context: SearchContext, instruction: str, request: str, facts: Mapping[str, Any]) -> str:
    """What the model makes of `request` by `instruction`; the offline one goes by `facts`, of which `search`
    names its rule.

    Empty where there is no model, its call fails, or it answers nothing, endlessly, or with a refusal that
    `request` is not one of itself. Raises BudgetReached.
    """
    if context.model is None:
        return ""
    messages = (Message("system", f"{ABOUT_THE_TEST} {instruction}"), Message("user", request))
    try:
        answer = bare(context.model.complete(Request(Purpose.SEARCH, messages, facts)))
    except ModelError:
        return ""
    if len(answer) > _LONGEST_ANSWER or (context.is_refusal(answer) and not context.is_refusal(request)):
        return ""
    return answer
