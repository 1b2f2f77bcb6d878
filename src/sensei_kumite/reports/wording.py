"""How reports for people write figures: shares, counts, durations, moments."""

from __future__ import annotations

from datetime import UTC, datetime


def percent(share: float) -> str:
    """A share between 0 and 1; with a decimal where it is not 0 or 1 but would be rounded to it."""
    whole = f"{share:.0%}"
    if share in (0, 1) or whole not in ("0%", "100%"):
        return whole
    return f"{min(max(share, 0.001), 0.999):.1%}"


def interval(bounds: tuple[float, float]) -> str:
    """Both ends of an interval of shares."""
    return f"{percent(bounds[0])} to {percent(bounds[1])}"


def count(number: int, noun: str) -> str:
    """`number` things, the noun in its plural where there is not exactly one."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}{'es' if noun.endswith(('s', 'ch')) else 's'}"


def duration(seconds: float) -> str:
    """Seconds in the two largest units that matter."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f"{hours} h {minutes} min"
    if minutes:
        return f"{minutes} min {whole % 60} s"
    return f"{seconds:.1f} s" if seconds < 10 else f"{whole} s"


def moment(text: str) -> str:
    """An ISO 8601 time to the minute, in UTC; any other text as it is."""
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{parsed.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def seconds_between(started: str, finished: str) -> float | None:
    """The seconds from one ISO 8601 time to another; None where a text is none."""
    try:
        return (datetime.fromisoformat(finished) - datetime.fromisoformat(started)).total_seconds()
    except (TypeError, ValueError):
        return None
