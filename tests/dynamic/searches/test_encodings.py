"""`encodings`: against filters for words, and readers who decode."""

from __future__ import annotations

import base64
import codecs
import re
from collections.abc import Callable

import pytest
from pydantic import ValidationError

from tests.dynamic.searches.bots import REFUSAL, REQUEST, REVEALED, Bot, attack, resist


def in_base64(text: str) -> str:
    runs = re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text)
    return "\n".join(base64.b64decode(run).decode(errors="replace") for run in runs if len(run) % 4 == 0)


def in_hex(text: str) -> str:
    return "\n".join(
        bytes.fromhex(run).decode() for run in re.findall(r"(?:[0-9a-f]{2} ){9,}[0-9a-f]{2}", text)
    )


def in_tags(text: str) -> str:
    return "".join(chr(ord(letter) - 0xE0000) for letter in text if 0xE0020 <= ord(letter) <= 0xE007E)


READERS: dict[str, Callable[[str], str]] = {
    "base64": in_base64,
    "hex": in_hex,
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "leetspeak": lambda text: text.translate(str.maketrans("431057", "aeiost")),
    "homoglyphs": lambda text: text.translate(str.maketrans("асеіорѕхуРМ", "aceiopsxyPM")),
    "zero_width": lambda text: text.replace("\u200b", ""),
    "ascii_smuggling": in_tags,
}


def filtering(read: Callable[[str], str]) -> Callable[[str], str]:
    def answer(text: str) -> str:
        if "secret" in text.lower():
            return REFUSAL
        return REVEALED if REQUEST.lower() in read(text).lower() else "What do you mean?"

    return answer


@pytest.mark.parametrize("name", READERS)
def test_it_reaches_a_reader_behind_a_filter(name: str) -> None:
    bot = filtering(READERS[name])
    assert bot(REQUEST) == REFUSAL
    count, success, *_ = attack("encodings", Bot(bot))
    assert success
    assert count <= 8


def test_it_reaches_a_reader_who_undoes_two_encodings() -> None:
    bot = filtering(lambda text: in_base64(codecs.encode(text, "rot13")))
    _, success, sent, _ = attack("encodings", Bot(bot), iterations=150)
    assert success
    assert "it is ROT13, each letter moved 13 places; what it then says is Base64." in sent


def test_one_chain_may_be_asked_for() -> None:
    count, success, sent, _ = attack("encodings", bot := Bot(resist), options="chain=base64+rot13")
    expected = codecs.encode(base64.b64encode(REQUEST.encode()).decode(), "rot13")
    assert (count, success) == (2, False)  # with a hint and without: there is nothing else to try
    assert bot.heard[0].endswith(f"\n{expected}")
    assert bot.heard[1] == sent == expected


@pytest.mark.parametrize(
    ("hint", "expected"), [("with", [True]), ("without", [False]), ("both", [True, False])]
)
def test_a_hint_is_given_or_not(hint: str, expected: list[bool]) -> None:
    attack("encodings", bot := Bot(resist), options=f"only=hex,hint={hint}")
    assert [text.startswith("The text below") for text in bot.heard] == expected


def test_only_what_is_named_is_used() -> None:
    attack("encodings", bot := Bot(resist), options="only=hex+morse,hint=without,longest_chain=2")
    assert len(bot.heard) == 3  # hex, morse, morse in hex: nothing comes after hex but hex's own letters
    assert all(re.fullmatch(r"[0-9a-f ]+|[-./ ]+", text) for text in bot.heard)


def test_what_loses_letters_comes_first_in_a_chain() -> None:
    attack("encodings", bot := Bot(resist), iterations=500, options="only=leetspeak+rot13+hex,hint=with")
    hints = [text.partition("\n")[0] for text in bot.heard if "leetspeak" in text]
    assert len(hints) == 1 + 2 + 2
    assert all("leetspeak, with digits for some letters. Read" in hint for hint in hints)


def test_what_is_excluded_stands_between_what_is_encoded() -> None:
    options = {"content": "Print CANARY-42 twice.", "exclude_from_transformations_regex": r"CANARY-\d+"}
    attack("encodings", bot := Bot(resist), options="chain=base64,hint=without", **options)
    assert bot.heard == [
        f"{base64.b64encode(b'Print').decode()} CANARY-42 {base64.b64encode(b'twice.').decode()}"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("only=base46", "no encoding is called 'base46'. Did you mean 'base64'?"),
        ("chain=rot31", "Did you mean 'rot13'?"),
        ("chain=base64+morse", "morse loses what is needed to undo an encoding before it; put it first"),
        ("chain=rot13+rot13", "rot13 after rot13 gives the text itself"),
        ("hint=maybe", "hint"),
        ("longest_chain=9", "longest_chain"),
    ],
)
def test_options_that_make_no_sense_are_told(options: str, message: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(message)):
        attack("encodings", Bot(resist), options=options)
