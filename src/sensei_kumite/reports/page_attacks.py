"""The part of the page with a line and a chart per attack, the worst first."""

from __future__ import annotations

from sensei_kumite.reports.digest import Digest
from sensei_kumite.reports.markup import Markup, element
from sensei_kumite.reports.page_summary import counts, rate_chart
from sensei_kumite.reports.statistics import AttackTally
from sensei_kumite.reports.wording import count, interval, percent


def attack_table(digest: Digest) -> Markup:
    """A table of all attacks; the buttons in it carry the attack's place in the plan, for the script."""
    places = {name: place for place, name in enumerate(digest.tally.attacks)}
    if not places:
        return element("p", "No attack was run.")
    heads = [
        element("th", title, scope="col")
        for title in ("Attack", "Confirmed success rate, 0 to 100%", "Attempts")
    ]
    return element(
        "table",
        element("caption", "The dark line spans the 95% interval: the fewer attempts, the longer it is."),
        element("thead", element("tr", *heads)),
        element("tbody", *(_row(attack, places[attack.name]) for attack in digest.worst)),
        class_="attacks",
    )


def _row(attack: AttackTally, place: int) -> Markup:
    if attack.success_rate is None:
        rate = "Not scored"
    else:
        rate = f"{percent(attack.success_rate)} ({interval(attack.ci95)})"
    name = element("button", attack.name, type="button", class_="name", data_attack=place, dir="auto")
    taxonomy = element("span", ", ".join(attack.taxonomy), class_="taxonomy", dir="auto")
    kinds = [
        element("span", _words(kind, number), class_=f"badge {kind}")
        for kind, number in counts(attack).items()
        if number
    ]
    return element(
        "tr",
        element("th", name, taxonomy, scope="row"),
        element("td", rate_chart(attack), element("span", rate)),
        element("td", element("span", count(attack.attempts, "attempt"), class_="attempts"), *kinds),
    )


def _words(kind: str, number: int) -> str:
    return count(number, "error") if kind == "error" else f"{number:,} {kind}"
