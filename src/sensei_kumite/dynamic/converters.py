"""Ways to write a text that people or models still read and word filters do not, as a table of functions.

Lone surrogates become U+FFFD, for no encoding holds them.
"""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sensei_kumite.text import replace_surrogates

_LEET = str.maketrans("aeiostAEIOST", "431057431057")
_LATIN = "aceijopsxyABCEHIKMOPTXY"
_CYRILLIC = "асеіјорѕхуАВСЕНІКМОРТХУ"
_ZERO_WIDTH = "\u200b"
_TAGS = 0xE0000
_PRINTABLE = range(0x20, 0x7F)
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,?'!/()&:;=+-_\"$@"
_CODES = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- "
    "--.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- ..--.. .----. -.-.-- "
    "-..-. -.--. -.--.- .-... ---... -.-.-. -...- .-.-. -....- ..--.- .-..-. ...-..- .--.-."
)
_MORSE = dict(zip(_SIGNS, _CODES.split(), strict=True))
_FROM_MORSE = {code: letter for letter, code in _MORSE.items()}


@dataclass(frozen=True, slots=True)
class Converter:
    """One way to write a text.

    `reading` completes the sentence "it is …". `decode` is None where a reader has to guess; `exact` says
    that what is decoded is the very text, so that others may follow it in a chain.
    """

    encode: Callable[[str], str]
    decode: Callable[[str], str] | None
    reading: str
    exact: bool = True


def to_base64(text: str) -> str:
    """UTF-8 as Base64 (RFC 4648)."""
    return base64.b64encode(text.encode()).decode("ascii")


def from_base64(text: str) -> str:
    """The text in Base64; raises ValueError for anything else."""
    return base64.b64decode(text, validate=True).decode()


def to_hex(text: str) -> str:
    """UTF-8 as hexadecimal digits, a space between two bytes."""
    return text.encode().hex(" ")


def from_hex(text: str) -> str:
    """The text in hexadecimal bytes; raises ValueError for anything else."""
    return bytes.fromhex(text).decode()


def rot13(text: str) -> str:
    """Latin letters 13 places further; its own inverse."""
    return codecs.encode(text, "rot13")


def to_leetspeak(text: str) -> str:
    """Digits in the place of the letters that they resemble."""
    return text.translate(_LEET)


def to_homoglyphs(text: str) -> str:
    """Cyrillic letters in the place of the Latin ones that look the same."""
    return text.translate(str.maketrans(_LATIN, _CYRILLIC))


def from_homoglyphs(text: str) -> str:
    """Latin letters in the place of those Cyrillic ones."""
    return text.translate(str.maketrans(_CYRILLIC, _LATIN))


def to_zero_width(text: str) -> str:
    """A zero-width space between two characters of a word."""
    return re.sub(r"(?<=\S)(?=\S)", _ZERO_WIDTH, text)


def from_zero_width(text: str) -> str:
    """The text without zero-width spaces."""
    return text.replace(_ZERO_WIDTH, "")


def to_morse(text: str) -> str:
    """International Morse code (ITU-R M.1677-1, with !, &, ;, _ and $ as is customary): letters apart by a
    space, words by a slash; what has no code stays."""
    words = ([_MORSE.get(letter, letter) for letter in word] for word in text.upper().split())
    return " / ".join(" ".join(codes) for codes in words)


def from_morse(text: str) -> str:
    """The words in Morse code, in capitals."""
    words = (word.split(" ") for word in text.split(" / "))
    return " ".join("".join(_FROM_MORSE.get(code, code) for code in codes) for codes in words)


def to_tags(text: str) -> str:
    """Printable ASCII as invisible Unicode tag characters (U+E0020 to U+E007E); what is none stays."""
    return "".join(chr(_TAGS + ord(letter)) if ord(letter) in _PRINTABLE else letter for letter in text)


def from_tags(text: str) -> str:
    """ASCII in the place of tag characters."""
    return "".join(
        chr(ord(letter) - _TAGS) if ord(letter) - _TAGS in _PRINTABLE else letter for letter in text
    )


CONVERTERS: Mapping[str, Converter] = {
    "base64": Converter(to_base64, from_base64, "Base64"),
    "hex": Converter(to_hex, from_hex, "the hexadecimal values of its bytes"),
    "rot13": Converter(rot13, rot13, "ROT13, each letter moved 13 places"),
    "leetspeak": Converter(to_leetspeak, None, "leetspeak, with digits for some letters", exact=False),
    "homoglyphs": Converter(to_homoglyphs, from_homoglyphs, "written with look-alike Cyrillic letters"),
    "zero_width": Converter(to_zero_width, from_zero_width, "spread out with zero-width spaces"),
    "morse": Converter(to_morse, from_morse, "Morse code, with a slash between words", exact=False),
    "ascii_smuggling": Converter(
        to_tags, from_tags, "in invisible Unicode tag characters, one for each of ASCII"
    ),
}


def convert(text: str, chain: tuple[str, ...]) -> str:
    """`text` written by each converter of `chain` in turn."""
    text = replace_surrogates(text)
    for name in chain:
        text = CONVERTERS[name].encode(text)
    return text
