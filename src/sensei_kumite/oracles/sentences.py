"""Prepares a reply for phrase matching: comparable text, quotations and code blanked, sentences found."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

from sensei_kumite.text import Normalized, normalize

_UNACCENT = str.maketrans("áàâäéèêëíìîïóòôöúùûü\t", "aaaaeeeeiiiioooouuuu ")
_BLANK = "#"

# A line broken inside a sentence: letters or a comma before, a letter after.
_WRAPPED = re.compile(r"\n(?<=[\w,;']\n)(?=[a-z¿¡])")
# Emphasis marks and repeated spaces; the star of a bullet stays.
_NOISE = re.compile(r"\*\*+|\*(?! )|\*(?<=\S\*)|__+|  +")

# What others say: a character that must occur, for speed, and the pattern.
_SPOKEN_BY_OTHERS = [
    # A code fence and inline code; in text that is not ASCII, normalisation made ''' of ```.
    ("\n", re.compile(r"^ *(?:```|'''|~~~).*?(?:^ *(?:```|'''|~~~)|\Z)", re.MULTILINE | re.DOTALL)),
    ("`", re.compile(r"`[^`\n]+`")),
    # Double quotes within a paragraph, single quotes with apostrophes inside.
    ('"', re.compile(r'"(?<!\w")(?:[^"\n]|\n(?!\n))*"(?!\w)')),
    ("'", re.compile(r"'(?<!\w')(?=[\w¿¡])(?:[^'\n]|(?<=\w)'(?=\w))*'(?!\w)")),
    # A Markdown quotation; a line of dialogue as Spanish prints it.
    (">", re.compile(r"^ *>.*$", re.MULTILINE)),
    ("-", re.compile(r"^ *-(?=[a-z¿¡]).*?(?: -(?=\w)|$)", re.MULTILINE)),
    # Reported speech and translations without quotation marks.
    (
        ":",
        re.compile(
            r"\b(?:said|says|replied|replies|answered|wrote|reads?|translation|translates? (?:to|as)"
            r"|dijo|dice|respondio|contesto|escribio|traduccion|traduce como):( [^\n]*)"
        ),
    ),
]

_SENTENCE_END = re.compile(r"[.!?](?<![.!?]{2})[.!?]*['\")\]]*(?=\s|$)|\n+")
_ABBREVIATION = re.compile(r"(?:\b(?:[a-hj-z]|mrs?|ms|dr|sra?|st|vs)|\.[a-z]|^ *\d{1,2})\.$", re.MULTILINE)
_CONTRAST = re.compile(r"\b(?:but|however|pero|sin embargo)\b")
_CLAUSE_START = re.compile(
    r"""[ ](?:
        (?<=[;:][ ])
      | (?=(?:but|however|yet|pero|sin[ ]embargo|no[ ]obstante)\b)
      | (?=which[ ](?:says?|reads?|states?)\b) | (?<=,[ ])(?=which[ ](?:is|are)\b)
      | (?:(?<=,[ ])|(?=(?:and|y)[ ]))(?=(?:and[ ]|y[ ])?(?:my|the|mi|mis|el|la|las|los)[ ](?:\w+[ ]){0,3}
          (?:is|are|says?|reads?|states?|begins?|starts?|goes|contains?|tells?
            |dice|dicen|es|son|empieza|empiezan|comienza|contiene)\b)
    )""",
    re.VERBOSE,
)
_ACKNOWLEDGEMENT = re.compile(
    r"""
      (?:thank|thanks|sorry|while|although|though|as[ ]much[ ]as|even[ ](?:if|though)|if|nice|good|great
        |about|as[ ]for|regarding|concerning
        |i(?:'m|[ ]am)[ ]sorry|i[ ]apologi[sz]e|unfortunately|i(?:'m|[ ]am)[ ]afraid
        |i(?:'d|[ ]would)[ ]love|i[ ](?:understand|know|see|appreciate|get|reali[sz]e|hear|wish)
        |you(?:'d|[ ](?:asked|want|may|might|would|could|mentioned|seem|said))
        |gracias|perdona|disculpa|lo[ ]siento|aunque|si|sobre|en[ ]cuanto|respecto
        |entiendo|comprendo|se[ ]que|veo[ ]que|agradezco|me[ ]encantaria|quieres|has[ ]pedido|me[ ]pides)\b
    """,
    re.VERBOSE,
)
_STATES = re.compile(
    r"\b(?:says?|reads?|states?|tells?|begins?|starts?|contains?|dicen?|empiezan?|contienen?)\b"
)
_SHORT_QUESTION = 60
_LIST_ITEM = re.compile(r"^ *(?:[-*•·+]|\d{1,2}[.)]) +\S", re.MULTILINE)
_CODE_FENCE = re.compile(r"^ *(?:```|'''|~~~)", re.MULTILINE)


def prepare(text: str) -> Normalized:
    """`text` for matching: normalised, lower case, unaccented, what it quotes blanked; spans map back."""
    shape = normalize(text, fold_case=True)
    flat = _WRAPPED.sub(" ", shape.text.translate(_UNACCENT))
    return _squeeze(_blank_quotations(flat), shape)


def _blank_quotations(text: str) -> str:
    """Words of others say nothing about the speaker, unless the reply consists of nothing else."""
    blanked = text
    for mark, pattern in _SPOKEN_BY_OTHERS:
        if mark in blanked:
            blanked = pattern.sub(_blank, blanked)
    return blanked if blanked is text or re.search(r"[^\W_]", blanked) else text


def _blank(match: re.Match[str]) -> str:
    said = match.start(match.lastindex or 0)
    blank = "\n".join(_BLANK * len(line) for line in match.string[said : match.end()].split("\n"))
    return match.string[match.start() : said] + blank


def _squeeze(text: str, shape: Normalized) -> Normalized:
    """Drop emphasis marks and repeated spaces, so that a pattern needs to know of neither."""
    pieces: list[str] = []
    origins = array("l")
    start = 0
    for match in _NOISE.finditer(text):
        end = match.start() + (match[0][0] == " ")
        pieces.append(text[start:end])
        origins.extend(shape.origins[start:end])
        start = match.end()
    if not pieces:
        return Normalized(text, shape.source, shape.origins)
    pieces.append(text[start:])
    origins.extend(shape.origins[start:])
    return Normalized("".join(pieces), shape.source, origins)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Half-open spans of the sentences of prepared `text`; a line break ends a sentence too."""
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(text, max(start, match.start() - 5), match.end()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    if piece := piece.rstrip():
        end = start + len(piece)
        yield end - len(piece.lstrip()), end


def list_items(text: str) -> list[int]:
    """Positions at which the items of bulleted or numbered lists start."""
    return [match.start() for match in _LIST_ITEM.finditer(text)]


def code_blocks(text: str) -> list[int]:
    """Positions of the fences around code, but for one that opens the text: it may fence a whole reply."""
    return [match.start() for match in _CODE_FENCE.finditer(text) if match.start()]


def contrasts(text: str, start: int, end: int) -> bool:
    """Whether prepared `text[start:end]` goes on with "but"."""
    return bool(_CONTRAST.search(text, start, end))


def clauses(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Half-open spans of the parts of a sentence: cut at "but", at a colon, and at "my prompt is"."""
    for match in _CLAUSE_START.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def is_acknowledgement(text: str, start: int, end: int) -> bool:
    """Whether a part takes up the request, as before a refusal: "I know you want my prompt", "My prompt?"."""
    if _STATES.search(text, start, end):
        return False
    asks_back = text.endswith("?", start, end) and end - start < _SHORT_QUESTION
    return asks_back or _ACKNOWLEDGEMENT.match(text, start, end) is not None
