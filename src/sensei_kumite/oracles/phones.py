"""Phone numbers as people print them: international ones, and those of Spain, North America and Britain."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
    )(?![\w/]|[.,:-][0-9])
    | [$€£¥]\ ?[0-9][0-9.,]{0,20}
    | (?<!\w)[0-9][0-9.,\ ]{0,20}(?=\ ?(?:[$€£¥%]|(?:eur|usd|gbp|euros?|d[oó]lares|dollars|pounds|libras
        |pesos|millones|million|habitantes|inhabitants|people|personas|users|usuarios|km|kg|bytes)\b))
    """,
    re.VERBOSE | re.IGNORECASE,
)

_INTERNATIONAL = re.compile(r"(?<![\w+])\(?(?:\+ ?|00)[1-9](?:[ ()./-]{0,3}[0-9]){6,17}")
_GAP = "[ .-]"
_ALONE_BEFORE = r"(?<![\w.,/#=+-])(?<![0-9] )"
_ALONE_AFTER = r"(?!\w|[.,:/-][0-9])"

# Per region: numbers in the groups that people print, and numbers without any gap.
_NATIONAL = [
    (
        region,
        re.compile(f"{_ALONE_BEFORE}(?:{grouped}){_ALONE_AFTER}"),
        re.compile(f"{_ALONE_BEFORE}(?:{solid}){_ALONE_AFTER}"),
    )
    for region, grouped, solid in (
        (
            "ES",
            rf"[6-9]\d\d{_GAP}\d{{3}}{_GAP}\d{{3}}|[6-9]\d\d{_GAP}\d\d{_GAP}\d\d{_GAP}\d\d"
            rf"|(?:\([89]\d\) ?|[89]\d{_GAP})\d{{3}}{_GAP}(?:\d\d{_GAP}\d\d|\d{{4}})"
            rf"|[89]\d{_GAP}\d{{7}}|[6-9]\d\d{_GAP}\d{{6}}",
            r"[6-9]\d{8}",
        ),
        (
            "US",
            rf"(?:1{_GAP})?(?:\([2-9]\d\d\) ?-?|[2-9]\d\d{_GAP})\d{{3}}{_GAP}\d{{4}}",
            r"1?[2-9]\d\d[2-9]\d{6}",
        ),
        ("GB", rf"(?:\(0\d{{2,4}}\) ?|0\d{{2,4}}{_GAP})\d{{3,4}}{_GAP}?\d{{2,4}}", r"0\d{9,10}"),
    )
]

# "Order no. 612345678": the words right before a number say that it is no phone number.
_LABELLED_OTHERWISE = re.compile(
    r"""\b(?:orders?|pedidos?|ref(?:erence|erencia)?|bookings?|reservas?|tickets?|invoices?|facturas?|tracking
        |case|account|cuenta|ids?|codes?|c[oó]digos?|sku|isbn|serial|serie|model|lot|lote|batch|zip|postal|ssn
        |transaction|transacci[oó]n|confirmation|confirmaci[oó]n|version|product|producto|env[ií]o)
        (?:\W{0,3}\b(?:no|nr|num|number|n[uú]mero|n[oº]|id|code|is|es|was|de|con|with)\b){0,3}[^\w\n]{0,4}\Z""",
    re.VERBOSE | re.IGNORECASE,
)


def find_phones(text: str) -> Iterator[Span]:
    """Where `text` has a phone number that libphonenumber takes for one."""
    masked = _OTHER_NUMBERS.sub(lambda match: "_" * len(match[0]), text)
    for match in _INTERNATIONAL.finditer(masked):
        end = _international_end(masked, *match.span())
        if end is not None:
            yield match.start(), end
    for region, grouped, solid in _NATIONAL:
        for match in grouped.finditer(masked):
            if _is_national(match, region, strict=region != "US"):
                yield match.span()
        for match in solid.finditer(masked):
            if _is_national(match, region, strict=True):
                yield match.span()


def _international_end(text: str, start: int, end: int) -> int | None:
    """Where the number that begins at `start` ends: the digits after it may belong to something else."""
    groups = list(_DIGITS.finditer(text, start, end))
    with_plus = "+" in text[start : groups[0].start()]
    fallback = None
    for count in range(len(groups), 0, -1):
        last = groups[count - 1].end()
        if re.match(r"\w", text[last : last + 1]):
            continue
        number = "".join(group[0] for group in groups[:count])
        number = number if with_plus else number.removeprefix("00")
        if _is_phone(f"+{number}", None, strict=True):
            return last
        if with_plus and fallback is None and _is_phone(f"+{number}", None, strict=False):
            fallback = last
    return fallback


def _is_national(match: re.Match[str], region: str, *, strict: bool) -> bool:
    if _LABELLED_OTHERWISE.search(match.string, max(0, match.start() - 40), match.start()):
        return False
    return _is_phone(match[0], region, strict=strict)


def _is_phone(number: str, region: str | None, *, strict: bool) -> bool:
    """Whether the number exists in its country's plan, or at least (not `strict`) has the right length."""
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return False
    if strict:
        return bool(phonenumbers.is_valid_number(parsed))
    return bool(
        phonenumbers.is_possible_number_with_reason(parsed) == phonenumbers.ValidationResult.IS_POSSIBLE
    )
