"""The page for people: one file that needs nothing else, in which no text of a target can act.

What is above the results is written here, as text in elements. The results themselves are data, which the
page's scripts show a few at a time, as text too. The policy in the page's head lets run these scripts alone.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from sensei_kumite.reports.digest import Digest
from sensei_kumite.reports.documents import RunInfo
from sensei_kumite.reports.markup import Markup, element, join
from sensei_kumite.reports.outcomes import CaseOutcome, outcomes
from sensei_kumite.reports.page_attacks import attack_table
from sensei_kumite.reports.page_priorities import priorities
from sensei_kumite.reports.page_results import page_result
from sensei_kumite.reports.page_search import page_search
from sensei_kumite.reports.page_summary import outcome, run_facts
from sensei_kumite.reports.report_file import report_file

_RESULTS = "<!-- results -->\n"
_SCRIPTS = ("text.js", "result.js", "search.js", "page.js")
_STYLES = ("page.css", "search.css")
# A script element of its own for so many results: each is parsed as one string, which browsers bound.
_PER_SCRIPT = 200
_MOST_CHARACTERS = 4_000_000
# Within a script element, these could end it or begin a comment.
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}


def write_html(path: Path, rows: Iterable[Mapping[str, Any]], info: RunInfo) -> None:
    """Write the page to `path`, all or nothing; raises EnvironmentProblem. Results are not held."""
    digest = Digest(rows)
    before, _, after = _page(digest, info).partition(_RESULTS)
    with report_file(path) as stream:
        stream.write(before)
        stream.write(_data("attacks", map(_json, digest.tally.attacks)))
        for results in _batches(_json(_page_case(case)) for case in outcomes(rows)):
            stream.write(_data("results", results))
        stream.write(after)


def _page_case(case: CaseOutcome) -> dict[str, Any]:
    """What the page shows of a case: the row that decides it, and its search where there was one."""
    result, search = page_result(case.decisive), page_search(case)
    return result if search is None else result | {"search": search}


def _page(digest: Digest, info: RunInfo) -> str:
    """The page with `_RESULTS` where its data belongs."""
    scripts = [_resource(name) for name in _SCRIPTS]
    style = "".join(map(_resource, _STYLES))
    return Template(_resource("page.html")).substitute(
        policy=_policy(scripts, style),
        style=style,
        scripts="".join(f"<script>{script}</script>\n" for script in scripts),
        title=join(info.security_test_name),
        version=join(info.version),
        run=run_facts(info),
        outcome=outcome(digest),
        priorities=priorities(digest),
        attacks=attack_table(digest),
    )


def _policy(scripts: Iterable[str], style: str) -> str:
    """A content security policy: no request of any kind, and of inline code only ours."""
    hashes = " ".join(map(_hash, scripts))
    allowed = f"script-src {hashes}; style-src {_hash(style)}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _data(kind: str, items: Iterable[str]) -> Markup:
    """Items of JSON as a list in an element that is never run."""
    text = f"[{','.join(items)}]".translate(_ESCAPES)
    return Markup(element("script", Markup(text), type="application/json", class_=kind) + "\n")


def _batches(items: Iterable[str]) -> Iterator[list[str]]:
    """As many items at a time as one script element may hold, but at least one."""
    batch: list[str] = []
    characters = 0
    for item in items:
        if batch and (len(batch) == _PER_SCRIPT or characters + len(item) > _MOST_CHARACTERS):
            yield batch
            batch, characters = [], 0
        batch.append(item)
        characters += len(item)
    if batch:
        yield batch


def _resource(name: str) -> str:
    return (files("sensei_kumite") / "resources" / "report_page" / name).read_text(encoding="utf-8")
