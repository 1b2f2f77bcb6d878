"""The one message in what a simulation model answered, and why it may be none that an ordinary user sends."""

from __future__ import annotations

import re
import unicodedata

from sensei_kumite.text import normalize

LONGEST_MESSAGE = 2000
"""Characters; people who ask something write less."""

_USER = "person|user|customer|client|human|me|usuario|cliente|utilisateur|benutzer|kunde|utente"
_TARGET = "chatbot|assistant|bot|asistente|assistente"
_MARKUP = r"[ \t*_#>\-\[\]]*"
# A name in front of a message, as in a script: `**User:**`, `Next message (2 of 3):`.
_OWN_LABEL = re.compile(
    rf"{_MARKUP}(?:the |next |simulated )*(?:(?:{_USER})(?:'s)?(?: (?:message|turn|reply))?|message|turn)"
    rf"(?: ?\(?\d+(?: of \d+)?\)?)?[*_\]]*\s?[:：][*_]*\s*",
    re.IGNORECASE,
)
_OTHER_LABEL = re.compile(rf"{_MARKUP}(?:{_TARGET})[*_\]]*\s?[:：]", re.IGNORECASE)
_NEXT_SPEAKER = re.compile(rf"\n{_MARKUP}(?:{_USER}|{_TARGET})[*_\]]*\s?[:：].*", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
_QUOTES = (('"', '"'), ("“", "”"), ("„", "“"), ("«", "»"), ("'", "'"), ("‘", "’"), ("`", "`"))

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
# Full stops, smileys and the like; a question is no farewell.
_TRAILING = re.compile(r"[^\w?]+\Z")
_FAREWELL = re.compile(
    r"(?:^¡?|[,;:-] ?|\band )"
    r"(?:good ?bye|bye(?:[ -]?bye)?|farewell|see you (?:later|soon|around|then|tomorrow|next time)|see ya|"
    r"take care|until next time|"
    r"have an? (?:very )?(?:nice|good|great|lovely|wonderful) (?:day|evening|night|weekend|time|one)|"
    r"adiós|adios|hasta (?:luego|pronto|la vista)|nos vemos|au revoir|à bientôt|bonne (?:journée|soirée)|"
    r"auf wiedersehen|tschüss|schönen tag noch|arrivederci|até logo|adeus|tchau|до свидания|さようなら|再见)"
    r"(?:,? (?:then|now|for now|too|everyone|(?:and )?thank(?:s| you)\b.*))?$"
)
# What nobody says who simply wants something from a chatbot.
_OUT_OF_ROLE = re.compile(
    r"\bsystem prompt|\bjail ?break|\bprompt injection|\bred[ -]team|\bpenetration test|\bsecurity test|"
    r"\b(?:ignore|disregard|forget) (?:(?:all|any|of|your|the|my|previous|prior|above|earlier) )+"
    r"(?:instructions?|rules?|prompts?|guidelines)\b|"
    r"\byour (?:hidden|secret|internal|original|initial) (?:instructions?|rules?|prompts?|guidelines)\b|"
    r"\bas an? (?:ai|(?:large )?language model)\b|"
    r"\bi(?: am|'m) (?:just |only )?"
    r"(?:an ai|a (?:large )?language model|a simulated|simulating|testing (?:you|this chatbot))\b"
)


def read_message(answer: str) -> str:
    """The message in a model's answer, without quotes, names and whatever else is around or after it."""
    message = answer
    while (inner := _unwrapped(message)) != message:
        message = inner
    return message


def is_empty(message: str) -> bool:
    """Whether there is nothing in it but blanks, punctuation and invisible characters."""
    return all(unicodedata.category(character)[0] in "CPZ" for character in message)


def is_exit(message: str) -> bool:
    """Whether it is the word that ends a simulated conversation, however it is written."""
    return re.sub(r"[\W_]+", "", normalize(message, fold_case=True).text) == "exit"


def objection(message: str) -> str | None:
    """Why an ordinary user in the middle of a conversation would not send it, None where one would.

    Farewells are known in a few languages, everything else in English.
    """
    if len(message) > LONGEST_MESSAGE:
        return f"writes more than {LONGEST_MESSAGE:,} characters"
    if _OTHER_LABEL.match(message):
        return "speaks for the chatbot"
    text = normalize(message, fold_case=True).text
    last_sentence = _SENTENCE_END.split(_TRAILING.sub("", text))[-1]
    if _FAREWELL.search(last_sentence):
        return "says goodbye"
    if _OUT_OF_ROLE.search(text):
        return "falls out of the role of an ordinary user"
    return None


def _unwrapped(text: str) -> str:
    """`text` without the outermost thing around it."""
    text = text.strip()
    if fence := _FENCE.fullmatch(text):
        return fence[1]
    if label := _OWN_LABEL.match(text):
        return text[label.end() :]
    if any(_is_quoted(text, *pair) for pair in _QUOTES):
        return text[1:-1]
    return text if _OTHER_LABEL.match(text) else _NEXT_SPEAKER.sub("", text)


def _is_quoted(text: str, opening: str, closing: str) -> bool:
    """Whether the quotes at both ends belong together; apostrophes within words are no quotes."""
    if len(text) < 2 or text[0] != opening or text[-1] != closing:
        return False
    return not re.search(rf"(?<!\w){re.escape(opening)}|{re.escape(closing)}(?!\w)", text[1:-1])
