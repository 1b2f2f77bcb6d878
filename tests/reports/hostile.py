"""Texts that try to act in a report, and a run with one of them in every place where a text can be."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sensei_kumite.reports.documents import RunInfo
from tests.reports.campaign_run import INFO
from tests.reports.journals import make_row
from tests.reports.searches import graph, search_row

PAYLOADS = [
    "<script>document.title='acted'</script>",
    "</script><script>document.title='acted'</script>",
    "<!--<script>",
    "--></style></textarea></title></script><img src=x onerror=\"document.title='acted'\">",
    "<svg/onload=document.title='acted'>",
    '" onfocus="document.title=\'acted\'" autofocus x="',
    "' onmouseover='document.title=\"acted\"' x='",
    "javascript:document.title='acted'",
    "<a href=javascript:document.title='acted'>click</a><base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "{{constructor.constructor('document.title=1')()}} ${document.title='acted'} $title $scripts",
    "line\u2028separator\u2029 \u202ereversed\u202c nul\x00 escape\x1b[31m \ufeff \U000e0041",
    "<!-- results -->\n]]> &lt;b&gt; &amp; &#x3c;",
]
ALL = "\n".join(PAYLOADS)


def hostile_row(text: str, index: int = 0, status: str = "breached") -> dict[str, Any]:
    """A result with `text` for every text."""
    return make_row(
        index,
        status,
        attack=text,
        case_id=text,
        prompt=text,
        response=text,
        reason=text,
        oracle={
            "type": text,
            "params": {text: text},
            "passed": False,
            "evidence": {"quotes": [text], text: [text, {text: text}]},
        },
        metadata={
            text: text,
            "execution_mode": text,
            "weight": text,
            "taxonomy": [text],
            "variables": [text],
        },
        errors=[{text: text}],
        conversation=[{"User": text, "Assistant": text}, {"User": text, "Assistant": text}],
    )


def hostile_run(text: str) -> tuple[list[dict[str, Any]], RunInfo]:
    """Results of every kind with `text` for every text, in a run that is called so as well."""
    rows = [
        hostile_row(text, index, status)
        for index, status in enumerate(("breached", "resilient", "error", "skipped"))
    ]
    rows.append(hostile_row(text, len(rows)))
    rows[-1]["metadata"]["weight"] = "Potential"
    return rows, replace(
        INFO,
        security_test_name=text,
        serial=text,
        target=text,
        version=text,
        started=text,
        finished=text,
        errors=[{"run": text}],
    )


def hostile_search(text: str) -> list[dict[str, Any]]:
    """A case that was searched, with `text` for every text of the search."""
    said = {"role": text, "content": text, text: text}
    conversation = graph((0, said), (0, {"role": "user", "content": text, "score": text}), (2, text))
    record = {"input": text, "response": text, "success": False, "error": text, text: text}
    dynamic = {"attack": text, "options": text, "objective": text, "conversation": conversation}
    return [
        hostile_row(text, status="resilient"),
        search_row(
            0,
            "breached",
            prompt=text,
            response=text,
            conversation=[{"User": text, "Assistant": text}],
            dynamic={**dynamic, "attempt_history": [record, text]},
        ),
    ]
