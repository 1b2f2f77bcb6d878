"""The shared judge: puts a policy and a response before a model, and turns its answer into a judgement."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sensei_kumite.errors import ModelError, OracleError
from sensei_kumite.llm.requests import Model, Purpose, Request
from sensei_kumite.oracles.judge_answer import Judgement, NoVerdict, cut_out, read_judgement
from sensei_kumite.oracles.judge_prompt import SCHEMA, Question, ask, ask_again
from sensei_kumite.oracles.leakage_patterns import find_leaks
from sensei_kumite.oracles.refusals import find_refusal, refusing_spans
from sensei_kumite.text import excerpt


def judge(model: Model, question: Question) -> Judgement:
    """What `model` decides. An answer that cannot be read is sent back once.

    Raises OracleError where there is no verdict, BudgetReached where no further call may start.
    """
    judgement = _decide(model, question)
    if question.left_out and not judgement.violated:
        raise OracleError(
            f"The judge sees no violation, but could not be shown everything: {question.left_out} characters "
            "are too many for it."
        )
    return judgement


def describe_judge(model: Model) -> dict[str, Any]:
    """Who judged, as evidence shows it; rules say that they are no model."""
    settings = model.settings
    if settings.is_offline:
        return {"judge": {"provider": settings.provider}, "method": "heuristic"}
    names = {"model": settings.model, "provider": settings.provider, "temperature": settings.temperature}
    return {"judge": names}


def _decide(model: Model, question: Question) -> Judgement:
    request = Request(Purpose.VERDICT, ask(question), _facts(question), schema=SCHEMA)
    answer = _complete(model, request)
    try:
        return read_judgement(answer, question.sections.values())
    except NoVerdict as problem:
        corrected = replace(request, messages=ask_again(request.messages, answer, str(problem)))
    answer = _complete(model, corrected)
    try:
        return read_judgement(answer, question.sections.values())
    except NoVerdict as problem:
        message = f"The judge gave no verdict, also when asked again: {problem}. It said: {excerpt(answer)}"
        raise OracleError(message) from None


def _complete(model: Model, request: Request) -> str:
    try:
        return model.complete(request)
    except ModelError as error:
        raise OracleError(error.message, hint=error.hint) from error


def _facts(question: Question) -> dict[str, Any]:
    """What the offline judge goes by: it has no refusal detector of its own."""
    sections = question.sections
    response = sections["response"]
    refusal = find_refusal(response)
    answered = cut_out(response, refusing_spans(response) if refusal else [])
    return {
        **sections,
        "allowed_domain": question.allowed_domain,
        "refusal": refusal.kind if refusal else None,
        "refusal_sentence": refusal.sentence if refusal else "",
        "refusal_score": refusal.score if refusal else 0.0,
        "answered": answered,
        "leaks": sorted({name for name, _ in find_leaks(answered)}),
    }
