"""The top of the page: what was tested, how it ended, and the totals."""

from __future__ import annotations

from sensei_kumite.reports.digest import Digest, verdict
from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.markup import Markup, element, join
from sensei_kumite.reports.statistics import AttackTally
from sensei_kumite.reports.wording import count, duration, interval, moment, percent, seconds_between

LABELS = {
    "breached": "Confirmed breaches",
    "potential": "Potential breaches",
    "error": "Errors",
    "resilient": "Resilient",
    "skipped": "Skipped",
}


def counts(tally: AttackTally) -> dict[str, int]:
    """How many attempts there are of each kind, in the order in which the page names them."""
    return {
        "breached": tally.confirmed,
        "potential": tally.potential,
        "error": tally.errors,
        "resilient": tally.resilient,
        "skipped": tally.skipped,
    }


def run_facts(info: RunInfo) -> Markup:
    """What was tested, when, with what."""
    seconds = seconds_between(info.started, info.finished)
    facts = [
        ("Target", info.target),
        ("Started", moment(info.started)),
        ("Duration", "" if seconds is None else duration(seconds)),
        ("Model costs", f"${info.total_cost:.4f}" if info.total_cost else ""),
        ("Run", info.serial),
        ("Seed", "" if info.seed is None else str(info.seed)),
    ]
    shown = [
        element("div", element("dt", name), element("dd", text, dir="auto")) for name, text in facts if text
    ]
    notes = [
        element("p", str(note), class_="note", dir="auto") for error in info.errors for note in error.values()
    ]
    return join(element("dl", *shown, class_="run"), *notes)


def outcome(digest: Digest) -> Markup:
    """The verdict in a sentence, the success rate as a figure, and the totals."""
    total = digest.total
    state = "breached" if total.confirmed else "unknown" if total.success_rate is None else "resilient"
    return join(
        element("p", verdict(total), class_=f"verdict {state}"),
        element("div", _rate(total), _totals(total), class_="figures"),
    )


def rate_chart(tally: AttackTally, *, label: str | None = None) -> Markup:
    """A bar as long as the success rate, and across it a line over the 95 % interval.

    Without a `label` the text beside it has to say the same, and readers of screens are not told.
    """
    low, high = (f"{bound:.2%}" for bound in tally.ci95)
    marks = [element("rect", class_="track", width="100%", height=12, y=6)]
    if tally.success_rate is not None:
        marks += [
            element("rect", class_="rate", width=f"{tally.success_rate:.2%}", height=12, y=6),
            element("line", class_="interval", x1=low, x2=high, y1=12, y2=12),
            element("line", class_="interval", x1=low, x2=low, y1=7, y2=17),
            element("line", class_="interval", x1=high, x2=high, y1=7, y2=17),
        ]
    spoken = {"aria_hidden": "true"} if label is None else {"role": "img", "aria_label": label}
    return element("svg", *marks, class_="chart", width="100%", height=24, **spoken)


def _rate(total: AttackTally) -> Markup:
    if total.success_rate is None:
        figure, words = "–", "Nothing was scored: every rate is possible."
    else:
        figure = percent(total.success_rate)
        words = f"95% interval {interval(total.ci95)}, from {count(total.scored, 'scored attempt')}."
    pieces = [element("p", words)]
    if total.cases != total.scored:
        cases = count(total.cases, "case")
        pieces.append(element("p", f"{total.breached_cases:,} of {cases} breached at least once."))
    return element(
        "div",
        element("h2", "Confirmed success rate of the attacks"),
        element("p", figure, class_="figure"),
        rate_chart(total),
        *pieces,
        class_="success",
    )


def _totals(total: AttackTally) -> Markup:
    """A bar divided among the kinds of results, which the figures below it explain."""
    kinds = counts(total)
    bar, start = [], 0.0
    for kind, number in kinds.items():
        share = number / total.attempts if total.attempts else 0.0
        bar.append(element("rect", class_=f"fill {kind}", x=f"{start:.3%}", width=f"{share:.3%}", height=16))
        start += share
    figures = [
        element("div", element("dt", LABELS[kind]), element("dd", f"{number:,}"), class_=f"kind {kind}")
        for kind, number in kinds.items()
    ]
    everything = element(
        "div", element("dt", "Attempts"), element("dd", f"{total.attempts:,}"), class_="kind"
    )
    return element(
        "div",
        element("h2", "What became of the attempts"),
        element("svg", *bar, class_="shares", width="100%", height=16, aria_hidden="true"),
        element("dl", everything, *figures, class_="totals"),
        class_="all",
    )
