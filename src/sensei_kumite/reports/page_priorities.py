"""The part of the page that says what to do first: the worst attacks with examples, then the unclear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from sensei_kumite.reports.digest import Digest, Example
from sensei_kumite.reports.markup import Markup, element, join
from sensei_kumite.reports.statistics import AttackTally
from sensei_kumite.reports.wording import count, interval, percent
from sensei_kumite.yaml_reader import parse_yaml

_MOST_ATTACKS = 3


def priorities(digest: Digest) -> Markup:
    """An ordered list of things to do; never empty."""
    return element("ol", *_items(digest), class_="priorities")


def _items(digest: Digest) -> Iterator[Markup]:
    total = digest.total
    if not total.attempts:
        yield _item("Nothing was run, so there is nothing to do yet.", "Run the campaign against its target.")
        return
    for attack in digest.broken[:_MOST_ATTACKS]:
        yield _broken(attack, digest.breaches[attack.name])
    if (more := len(digest.broken) - _MOST_ATTACKS) > 0:
        yield _item(f"{count(more, 'further attack')} succeeded as well.", "The table below has all of them.")
    yield from _unclear(digest)
    if not total.confirmed and total.scored:
        yield _item(
            f"No confirmed breach in {count(total.scored, 'scored attempt')}.",
            f"Attacks like these may still succeed in up to {percent(total.ci95[1])} of attempts: "
            "more attempts narrow that down.",
        )


def _unclear(digest: Digest) -> Iterator[Markup]:
    """What keeps the figures from being the whole truth."""
    total = digest.total
    if digest.potential:
        yield _item(
            f"{count(total.potential, 'potential breach')} for a person to decide.",
            "An oracle alone cannot tell whether the target failed. They count in no rate.",
            _example(digest.potential),
        )
    if total.errors:
        message, times = digest.errors.most_common(1)[0]
        yield _item(
            f"{count(total.errors, 'attempt')} got no verdict.",
            f"Whether the target withstands those is unknown. Most often ({times:,}):",
            element("p", message, class_="quoted", dir="auto"),
        )
    if total.skipped:
        yield _item(
            f"Not made: {count(total.skipped, 'attempt')}.",
            "A dry run, a spent budget or an early end left them out, so nothing is known about them.",
        )


def _broken(attack: AttackTally, example: Example) -> Markup:
    known = [_advice()[name] for name in attack.taxonomy if name in _advice()]
    advice = known[0] if known else _advice()["otherwise"]
    title = join(
        "Stop ",
        element("bdi", attack.name, class_="name"),
        f": breached in {attack.confirmed:,} of {count(attack.scored, 'scored attempt')}"
        f" ({percent(attack.success_rate or 0)}, 95% interval {interval(attack.ci95)}).",
    )
    weakness = f"{advice['name']}. " if advice.get("name") else ""
    return _item(title, f"{weakness}{advice['advice']}", _example(example))


def _example(example: Example) -> Markup:
    finder = f" ({example.finder.told()})" if example.finder else ""
    return element(
        "dl",
        element("div", element("dt", "Prompt"), element("dd", example.prompt, dir="auto")),
        element("div", element("dt", "Response"), element("dd", example.response or "(empty)", dir="auto")),
        element("div", element("dt", "Reason"), element("dd", example.reason, dir="auto")),
        element(
            "div",
            element("dt", "Result"),
            element("dd", element("a", example.case_id, href=f"#result-{example.index}", dir="auto"), finder),
        ),
        class_="example",
    )


def _item(title: str, text: str, *more: Markup) -> Markup:
    return element("li", element("h3", title), element("p", text), *more)


@cache
def _advice() -> Mapping[str, Mapping[str, str]]:
    """What to do about a breach, by the public id of the weakness."""
    resource = files("sensei_kumite") / "resources" / "report_page" / "advice.yml"
    advice: Mapping[str, Mapping[str, str]] = parse_yaml(
        resource.read_text(encoding="utf-8"), Path("advice.yml")
    ).data
    return advice
