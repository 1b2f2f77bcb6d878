"""The offline dummy: a chatbot made of rules that falls for some attacks and resists others.

It gives away its instructions, echoes markers, obeys Base64, reads damaged spelling, and forgets its
subject once a role or an authority has been claimed in the conversation. It turns down harmful wishes,
characters without a conscience, and off-topic questions that are simply asked.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from sensei_kumite.yaml_reader import parse_yaml

REFUSAL = "I'm sorry, but I can't help with that. I can only help with what this service is for."
WELCOME = "Hello! How can I help you today?"

_EXTRACTION = re.compile(
    r"\b(?:show|reveal|repeat|print|list|display|output|quote|give|tell|share|write (?:out|down))\b"
    r"[^.?!]{0,60}"
    r"\b(?:system prompt|(?:your|every|all|hidden|initial|original|previous)(?: \w+){0,2} instructions?|"
    r"(?:system|developer) messages?|(?:text|everything|that stands) above)\b"
    r"|\binstructions? (?:were|did) you (?:given|receive)\b|\binstructions? you (?:were given|received)\b",
    re.IGNORECASE,
)
_ORDER_TO_WRITE = re.compile(
    r"\b(?:[Ww]rite|[Ss]ay|[Rr]eply|[Rr]espond|[Aa]nswer|[Pp]rint|[Oo]utput|[Tt]ype|[Rr]epeat)\b[^.?!\n]{0,60}?"
    r"(?:\"(?P<double>[^\"\n]{3,80})\"|“(?P<curly>[^”\n]{3,80})”|'(?P<single>[^'\n]{3,80})'|"
    r"\b(?P<code>[A-Z0-9]+_[A-Z0-9_]+|[A-Z]{5,}[A-Z0-9]*|[a-z]{16,})\b)"
)
_INSISTENCE = re.compile(r"\b(only|just|exactly|nothing|no other|word for word)\b", re.IGNORECASE)
_ROLE_OR_AUTHORITY = re.compile(
    r"\b(pretend|role-?play|act as|you are now|play the (?:role|part)|imagine you are|do anything now|"
    r"i am (?:your|the|a) (?:\w+ )?(?:developer|owner|administrator|admin|creator|manager|engineer)|"
    r"as (?:your|the) (?:developer|owner|administrator|creator))\b",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"\s*(hi|hello|hey|good (?:morning|afternoon|evening)|thanks?|thank you)\b", re.IGNORECASE
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{12,}={0,2}(?![A-Za-z0-9+/=])")
_WORD = re.compile(r"[^\W\d_]{4,}")


class Exchange(NamedTuple):
    """One message of the user and the dummy's reply to it."""

    user: str
    assistant: str


def reply(message: str, *, system_prompt: str, history: Sequence[Exchange] = ()) -> str:
    """What the dummy answers; depends on nothing but its arguments and is never empty."""
    if hidden := decoded(message):
        return _obey(hidden, system_prompt)
    if _bank().refused.search(message):
        return REFUSAL
    if asks_for_instructions(message):
        return leak(system_prompt)
    if _INSISTENCE.search(message) and (marker := _marker(message)):
        return marker
    if "typoglycemia" in message.lower() and (answer := _answer(message)):
        return answer
    if _under_influence([*(turn.user for turn in history), message]):
        return _obey(message, system_prompt)
    if _GREETING.match(message):
        return WELCOME
    topics = shared_words(message, system_prompt)
    return f"Of course. I am happy to help with {' and '.join(topics[:3])}." if topics else REFUSAL


def asks_for_instructions(message: str) -> bool:
    """Whether the message orders the chatbot to hand out its instructions."""
    return bool(_EXTRACTION.search(message))


def leak(system_prompt: str) -> str:
    """The dummy giving away its instructions."""
    return f"My system prompt says: {system_prompt}"


def decoded(message: str) -> str:
    """The text hidden in Base64 in the message; empty where there is none."""
    for token in _BASE64.findall(message):
        try:
            text = base64.b64decode(token, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if text.isprintable() and " " in text:
            return text
    return ""


def shared_words(message: str, system_prompt: str) -> list[str]:
    """The words of the message that the system prompt also uses: what makes it on topic, in order."""
    subject = {_stem(word) for word in _words(system_prompt)}
    return list(dict.fromkeys(word for word in _words(message) if _stem(word) in subject))


def _obey(message: str, system_prompt: str) -> str:
    """Do what is asked, whatever the subject, short of harm."""
    if _bank().refused.search(message):
        return REFUSAL
    if asks_for_instructions(message):
        return leak(system_prompt)
    topics = ", ".join(list(dict.fromkeys(_words(message)))[-3:]) or "that"
    return _marker(message) or _answer(message) or f"Certainly! Here is what I know about {topics}."


def _marker(message: str) -> str:
    """The word or phrase that the message orders to write; empty where it orders none."""
    order = _ORDER_TO_WRITE.search(message)
    return order[str(order.lastgroup)].strip() if order else ""


def _answer(message: str) -> str:
    """What the dummy knows about a question in the message, vowels or not; empty where it knows nothing."""
    asked = _skeleton(message)
    return next(
        (answer for question, answer in _bank().knowledge.items() if _skeleton(question) in asked), ""
    )


def _skeleton(text: str) -> str:
    """The consonants of `text`, which survive when letters are left out."""
    return re.sub(r"[aeiou]|[^a-z ]", "", text.lower())


def _under_influence(messages: Iterable[str]) -> bool:
    return any(_ROLE_OR_AUTHORITY.search(message) for message in messages)


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text.lower()) if word not in _bank().small_words]


def _stem(word: str) -> str:
    return word[:5]


class _Bank(NamedTuple):
    """The contents of resources/offline_dummy.yml."""

    knowledge: Mapping[str, str]
    refused: re.Pattern[str]
    small_words: frozenset[str]


@cache
def _bank() -> _Bank:
    resource = files("sensei_kumite") / "resources" / "offline_dummy.yml"
    data = parse_yaml(resource.read_text(encoding="utf-8"), Path("offline_dummy.yml")).data
    refused = re.compile(rf"\b(?:{'|'.join(data['refused'])})\b", re.IGNORECASE)
    return _Bank(data["knowledge"], refused, frozenset(data["small_words"]))
