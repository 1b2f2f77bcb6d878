"""A summary for a pull request or a job's page: totals, attacks, the first breaches. No text is markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from re import findall
from typing import Any

from sensei_kumite.reports.digest import Digest, Example, verdict
from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.report_file import report_file
from sensei_kumite.reports.statistics import AttackTally
from sensei_kumite.reports.wording import count, interval, moment, percent
from sensei_kumite.text import excerpt

_MOST_ATTACKS = 50
_MOST_EXAMPLES = 10


def write_markdown(path: Path, rows: Iterable[Mapping[str, Any]], info: RunInfo) -> None:
    """Write the summary to `path`, all or nothing; raises EnvironmentProblem."""
    digest = Digest(rows)
    with report_file(path) as stream:
        stream.writelines(f"{line}\n" for line in _lines(digest, info))


def code(text: str, limit: int = 120) -> str:
    """An excerpt of `text` as a code span: no markup, link or mention in it works, whatever it holds."""
    line = excerpt(text, limit) or "(empty)"
    fence = "`" * (max(map(len, findall("`+", line)), default=0) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def _lines(digest: Digest, info: RunInfo) -> Iterator[str]:
    total = digest.total
    yield f"## Security report: {code(info.security_test_name)}"
    yield ""
    yield f"**{verdict(total)}**"
    yield ""
    yield f"Target {code(info.target)}, started {code(moment(info.started))}, run {code(info.serial)}."
    yield from (f"- {code(str(note))}" for error in info.errors for note in error.values())
    yield ""
    yield from _table(digest)
    for title, examples in (
        ("Confirmed breaches", [(tally.name, digest.breaches[tally.name]) for tally in digest.broken]),
        ("For a person to decide", [("potential", digest.potential)] if digest.potential else []),
    ):
        if examples:
            yield ""
            yield f"### {title}"
            yield ""
            yield from (_example(name, example) for name, example in examples[:_MOST_EXAMPLES])
    if digest.errors:
        message, times = digest.errors.most_common(1)[0]
        yield ""
        yield f"{count(total.errors, 'attempt')} got no verdict. Most often ({times:,}): {code(message)}"


def _table(digest: Digest) -> Iterator[str]:
    """A line per attack, the worst first, and the totals."""
    yield "| attack | attempts | breached | potential | resilient | errors | skipped | success rate |"
    yield "| --- | --: | --: | --: | --: | --: | --: | --: |"
    attacks = digest.worst
    for tally in attacks[:_MOST_ATTACKS]:
        yield _table_row(code(tally.name).replace("|", r"\|"), tally)
    if len(attacks) > _MOST_ATTACKS:
        yield f"| {count(len(attacks) - _MOST_ATTACKS, 'further attack')} | | | | | | | |"
    yield _table_row("**total**", digest.total)


def _table_row(name: str, tally: AttackTally) -> str:
    rate = "–" if tally.success_rate is None else f"{percent(tally.success_rate)} ({interval(tally.ci95)})"
    counts = (
        tally.attempts,
        tally.confirmed,
        tally.potential,
        tally.resilient,
        tally.errors,
        tally.skipped,
    )
    return f"| {name} | {' | '.join(f'{number:,}' for number in counts)} | {rate} |"


def _example(name: str, example: Example) -> str:
    finder = f" ({example.finder.told(code)})" if example.finder else ""
    return (
        f"- {code(name)} {code(example.case_id)}{finder}: {code(example.reason)}<br>"
        f"prompt {code(example.prompt)}<br>response {code(example.response)}"
    )
