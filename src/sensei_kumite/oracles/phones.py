"""Phone numbers as people print them: international ones, and those of Spain, North America and Britain."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from sensei_kumite.oracles.spans import Span

_DIGITS = re.compile(r"[0-9]+")

# What looks like a phone number to a library, and is none; blanked before the search.
_OTHER_NUMBERS = re.compile(
    r"""(?<![\w.,/-])(?:
        [0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}(?:T[0-9:.]+)?        # dates
      | [0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2})
      | (?:19|20)[0-9]{2}-(?:19|20)[0-9]{2}                          # years
      | [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]+)?              # times
      | (?:[0-9]{1,3}\.){3}[0-9]{1,3}                                # IP addresses
      | [0-9]{1,3}\.[0-9]{4,}                                        # fractions, coordinates
      | [0-9]{1,3}(?:[.,][0-9]{3}){1,6}[.,][0-9]{1,2}                # amounts
    )(?![\w/]|[.,:-][0-9])""",
    re.VERBOSE,
)

_INTERNATIONAL = re.compile(r"(?<![\w+])(?:\((?=[+0-9]{2,5}\)))?(?:\+ ?|00)[1-9](?:[ ()./-]{0,3}[0-9]){6,17}")

# National numbers by region, in the groups that people print and in one piece. What is printed the way
# of its country need not be in use there (False): chatbots make up numbers such as (555) 123-4567.
_GAP = "[ .-]"
_NATIONAL = [
    (region, in_use, re.compile(rf"(?<![\w.,/#=+$€£¥-])(?<![0-9$€£¥] )(?:{shape})(?!\w|[.,:/-][0-9])"))
    for region, in_use, shape in (
        (
            "ES",
            True,
            rf"[6-9][0-9]{{2}}{_GAP}(?:[0-9]{{3}}{_GAP}[0-9]{{3}}|[0-9]{{2}}(?:{_GAP}[0-9]{{2}}){{2}}|[0-9]{{6}})"
            rf"|(?:\([89][0-9]\) ?|[89][0-9]{_GAP})(?:[0-9]{{3}}{_GAP}[0-9]{{2}}{_GAP}?[0-9]{{2}}|[0-9]{{7}})"
            r"|[6-9][0-9]{8}",
        ),
        (
            "US",
            False,
            rf"(?:1{_GAP})?(?:\([2-9][0-9]{{2}}\) ?-?|[2-9][0-9]{{2}}{_GAP})[0-9]{{3}}{_GAP}[0-9]{{4}}",
        ),
        ("US", True, r"1?[2-9][0-9]{2}[2-9][0-9]{6}"),
        ("GB", False, rf"(?:\(0[0-9]{{2,4}}\) ?|0[0-9]{{2,4}}{_GAP})[0-9]{{3,4}}{_GAP}?[0-9]{{2,4}}"),
        ("GB", True, "0[0-9]{9,10}"),
    )
]

# "Order no. 612345678": the words right before a number may say that it is no phone number.
_LABEL_OF_SOMETHING_ELSE = re.compile(
    r"""\b(?:
        orders?|pedidos?|ref(?:erence|erencia)?|bookings?|reservas?|tickets?|invoices?|facturas?|receipts?|recibos?
        |tracking|parcel|paquete|shipment|env[ií]o|case|claim|account|cuenta|policy|p[oó]liza|transaction
        |transacci[oó]n|confirmation|confirmaci[oó]n|ids?|codes?|c[oó]digos?|sku|ean|upc|isbn|barcode|serial|serie
        |model|lot|lote|batch|version|build|item|product|producto|article|art[ií]culo|zip|postal|ssn|token|session
        |(?:customer|client|member|employee|passport|licen[cs]e)[ ](?:no|number|id)
        |n[uú]mero[ ]de[ ](?:cliente|socio|empleado|pasaporte)
        )
        (?:\W{0,3}\b(?:no|nr|num|number|n[uú]mero|n[oº]|id|code|is|es|was|de)\b){0,3}[^\w\n]{0,4}\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_UNIT = re.compile(
    r"""\ ?(?:[$€£¥%]|(?:eur|usd|gbp|euros?|d[oó]lares|dollars|pounds|libras|pesos|millones|million|habitantes
        |inhabitants|people|personas|users|usuarios|km|kg|bytes)\b)""",
    re.VERBOSE | re.IGNORECASE,
)


def find_phones(text: str) -> Iterator[Span]:
    """Where `text` has a phone number that libphonenumber takes for one."""
    masked = _OTHER_NUMBERS.sub(lambda match: "_" * len(match[0]), text)
    for match in _INTERNATIONAL.finditer(masked):
        end = _international_end(masked, *match.span())
        if end is not None:
            yield match.start(), end
    for region, in_use, pattern in _NATIONAL:
        for match in pattern.finditer(masked):
            if not _counts_something_else(masked, *match.span()) and _is_phone(
                match[0], region, in_use=in_use
            ):
                yield match.span()


def _international_end(text: str, start: int, end: int) -> int | None:
    """Where the number that begins at `start` ends: the digits after it may belong to something else."""
    groups = list(_DIGITS.finditer(text, start, end))
    with_plus = "+" in text[start : groups[0].start()]
    ends: dict[int, str] = {}
    number = "+"
    for group in groups:
        number += group[0]
        if not re.match(r"\w", text[group.end() : group.end() + 1]):
            ends[group.end()] = number if with_plus else number.replace("+00", "+", 1)
    for in_use in (True, False) if with_plus else (True,):
        for last in reversed(ends):
            if _is_phone(ends[last], None, in_use=in_use):
                return last
    return None


def _counts_something_else(text: str, start: int, end: int) -> bool:
    """Whether the words around a number say that it is an amount, or the number of something else."""
    label = _LABEL_OF_SOMETHING_ELSE.search(text, max(0, start - 40), start)
    return bool(label or _UNIT.match(text, end))


@lru_cache(maxsize=4096)
def _is_phone(number: str, region: str | None, *, in_use: bool) -> bool:
    """Whether the number is one of its country's plan, or at least (not `in_use`) of the right length."""
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    if in_use:
        return bool(phonenumbers.is_valid_number(parsed))
    possible = phonenumbers.ValidationResult.IS_POSSIBLE
    return bool(phonenumbers.is_possible_number_with_reason(parsed) == possible)
