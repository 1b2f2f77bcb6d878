"""Converters: what is encoded can be decoded, and looks as it should."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.dynamic.converters import CONVERTERS, convert

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
ASCII = st.text(st.characters(max_codepoint=127))
LATIN = st.text(st.characters(max_codepoint=0x24F))
SIGNALLED = st.lists(st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,?'!/()&:;=+-_\"$@", min_size=1)).map(
    " ".join
)
TEXTS = {
    "base64": TEXT,
    "hex": TEXT,
    "rot13": TEXT,
    "homoglyphs": LATIN,
    "zero_width": TEXT.filter(lambda text: "\u200b" not in text),
    "morse": SIGNALLED,
    "ascii_smuggling": LATIN,
}
EXACT = [name for name, converter in CONVERTERS.items() if converter.exact]


def decode(name: str, text: str) -> str:
    decoder = CONVERTERS[name].decode
    assert decoder
    return decoder(text)


@pytest.mark.parametrize("name", TEXTS)
@given(data=st.data())
def test_what_is_encoded_can_be_decoded(name: str, data: st.DataObject) -> None:
    text = data.draw(TEXTS[name])
    assert decode(name, CONVERTERS[name].encode(text)) == text


def test_every_decoder_is_tested() -> None:
    assert set(TEXTS) == {name for name, converter in CONVERTERS.items() if converter.decode}


# A search takes each once. Twice is another thing: homoglyphs are letters that rot13 does not know.
@given(st.lists(st.sampled_from(EXACT), max_size=3, unique=True), ASCII)
def test_a_chain_is_undone_from_its_end(chain: list[str], text: str) -> None:
    encoded = convert(text, tuple(chain))
    for name in reversed(chain):
        encoded = decode(name, encoded)
    assert encoded == text


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("base64", "U09TIG5vdw=="),
        ("hex", "53 4f 53 20 6e 6f 77"),
        ("rot13", "FBF abj"),
        ("leetspeak", "505 n0w"),
        ("zero_width", "S\u200bO\u200bS n\u200bo\u200bw"),
        ("morse", "... --- ... / -. --- .--"),
        ("ascii_smuggling", "\U000e0053\U000e004f\U000e0053\U000e0020\U000e006e\U000e006f\U000e0077"),
    ],
)
def test_how_it_looks(name: str, expected: str) -> None:
    assert convert("SOS now", (name,)) == expected


def test_look_alikes_are_other_letters() -> None:
    encoded = convert("space", ("homoglyphs",))
    assert encoded != "space"
    assert all("CYRILLIC" in unicodedata.name(letter) for letter in encoded)


def test_morse_keeps_what_has_no_code() -> None:
    assert convert("é 5", ("morse",)) == "É / ....."


@pytest.mark.parametrize("name", CONVERTERS)
def test_half_a_character_is_no_obstacle(name: str) -> None:
    assert convert("a\ud800b", (name,))
