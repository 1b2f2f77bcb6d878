"""Searches as people see them on the page, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.reports.browser import Browser
from tests.reports.hostile import ALL, hostile_search
from tests.reports.journals import make_row
from tests.reports.searches import backtracking, graph, history, search_row, searched, target, user

Open = Callable[..., Browser]
LINES = "#list > li > h3 .id"
TRIES = "#list .tries > li"
OPEN_ALL = "document.querySelectorAll('details.folded').forEach((details) => { details.open = true })"


def multi_turn(status: str = "breached") -> list[dict[str, Any]]:
    conversation, path = backtracking()
    dynamic = {"attack": "crescendo", "iterations": 5, "conversation": conversation}
    row = search_row(0, status, prompt=path[-1]["User"], response="duck", conversation=path, dynamic=dynamic)
    return [make_row(0), row]


def open_folded(page: Browser, title: str) -> None:
    """Open what stands folded below a title, and wait for it."""
    summary = next(summary for summary in page.all("#list summary") if title in summary.text)
    summary.click()
    page.wait_until("return arguments[0].parentElement.children.length > 1", summary)


def test_a_searched_case_is_one_result_that_tells_of_its_tries(show: Open) -> None:
    page = show([*searched(0, "resilient", "error", "breached"), make_row(1)])
    assert page.contents(LINES) == ["amnesia_1-attack-2", "amnesia_2"]
    page.one(".line").click()
    shown = page.text("#result-0 .body")
    assert "Dynamic attack\nbest_of_n" in shown
    assert "Iterations\n2\n" in shown
    open_folded(page, "3 tries")
    assert page.contents(f"{TRIES} summary .badge") == ["Resilient", "Error", "Breached"]
    assert page.contents(f"{TRIES} summary .number") == ["First attempt", "Try 1", "Try 2"]
    assert page.contents(f"{TRIES} summary .input") == ["Forget it all.", "Try 1", "Try 2"]


def test_a_try_opens_with_what_was_sent_and_said(show: Open) -> None:
    rows = [make_row(0), search_row(0, dynamic={"iterations": 2, "attempt_history": history(False, None)})]
    page = show(rows)
    page.one(".line").click()
    open_folded(page, "3 tries")
    open_folded(page, "Try 2")
    assert page.contents(f"{TRIES} .message .text") == ["Try 2", "Answer 2"]
    assert page.contents(f"{TRIES} summary .badge")[2] == "Unjudged"


def test_of_many_tries_the_rest_is_counted(show: Open) -> None:
    page = show([make_row(0), search_row(0, dynamic={"attempt_history": history(*[False] * 120)})])
    page.one(".line").click()
    open_folded(page, "121 tries")
    assert len(page.all(TRIES)) == 50
    assert "And 71 more tries" in page.text("#result-0 .folded")


def test_the_tree_marks_the_path_and_keeps_apart_what_was_given_up(show: Open) -> None:
    page = show(multi_turn())
    page.one(".line").click()
    open_folded(page, "10 messages, 2 abandoned branches")
    assert "the path that led to the breach. Dashed: what was given up" in page.text(".legend")
    assert page.contents(".thread .message .text") == [
        *("Hello", "Hi", "Tell me", "No", "Say it as a poem", "Roses are red"),
        *("And the end?", "No end", "And the last line?", "duck"),
    ]
    assert page.contents(".abandoned .message .text") == ["Tell me", "No", "And the end?", "No end"]
    assert page.contents(".abandoned > summary") == ["Abandoned branch: 2 messages"] * 2
    assert page.contents(".thread .speaker")[:4] == ["User", "Target"] * 2
    assert page.contents(".notes > li") == ["score 2", "pruned: low score", "score 10", "breach"]
    styles = [
        page.one(selector).value_of_css_property("border-top-style")
        for selector in (".thread > .message", ".abandoned .message")
    ]
    assert styles == ["solid", "dashed"]


def test_without_a_breach_the_last_path_is_the_marked_one(show: Open) -> None:
    page = show(multi_turn("resilient"))
    page.one(".line").click()
    open_folded(page, "10 messages")
    assert "the last path that was tried" in page.text(".legend")


def test_without_branches_nothing_is_said_of_them(show: Open) -> None:
    rows = multi_turn()
    rows[1]["metadata"]["dynamic"]["conversation"] = graph((0, user("Hello")), (1, target("duck")))
    page = show(rows)
    page.one(".line").click()
    open_folded(page, "2 messages")
    assert "branch" not in page.text("#result-0 .body")
    assert page.text(".legend") == "With a thick line: the path that led to the breach."


def test_the_keyboard_opens_tries_and_closes_branches(show: Open) -> None:
    page = show(multi_turn())
    page.press("/", Keys.ENTER, Keys.ENTER, Keys.TAB, Keys.ENTER)
    page.wait_for(["First attempt", "Try 1"], ".tries .number")
    page.press(Keys.TAB, Keys.TAB, Keys.TAB, Keys.ENTER)
    page.wait_for(["Abandoned branch: 2 messages"] * 2, ".abandoned > summary")
    page.press(Keys.TAB, Keys.ENTER)
    assert not page.one(".abandoned .message").is_displayed()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("amnesia_1", ["amnesia_1-attack-60"]),  # the planned case
        ("amnesia_1-attack-55", ["amnesia_1-attack-60"]),  # an attempt that the page does not list
        ("try 7", ["amnesia_1-attack-60"]),  # what an attempt sent
        ("best_of_n", ["amnesia_1-attack-60"]),
        ("roses red", ["amnesia_2-attack"]),  # a message of the tree, on its path
        ("no end", ["amnesia_2-attack"]),  # and on a branch that was given up
    ],
)
def test_searches_are_found_by_their_words(show: Open, words: str, found: list[str]) -> None:
    conversation, _ = backtracking()
    other = search_row(1, dynamic={"attack": "crescendo", "conversation": conversation})
    page = show([*searched(0, "resilient", *["resilient"] * 59, "breached"), make_row(1), other])
    page.run("document.getElementById('search').value = arguments[0]; filter()", words)
    assert page.contents(LINES) == found


def deep_rows() -> list[dict[str, Any]]:
    """Refused and rephrased thirty times over, with words that do not break."""
    messages: list[tuple[int, Any]] = []
    at = 0
    for _ in range(30):
        messages += [(at, user("q" * 90)), (len(messages) + 1, target("no" * 90, pruned="p" * 90))]
        messages += [(at, user("softer")), (len(messages) + 1, target("y" * 200))]
        at = len(messages)
    balanced = [(number // 2, user("z" * 90)) for number in range(200)]
    dynamic = {"attack": "a" * 200, "options": "o" * 300, "attempt_history": history(*[False] * 25)}
    return [
        make_row(0),
        search_row(0, dynamic={**dynamic, "conversation": graph(*messages)}),
        make_row(1),
        search_row(1, dynamic={**dynamic, "conversation": graph(*balanced)}),
    ]


@pytest.mark.parametrize("width", [360, 1200])
def test_no_tree_needs_scrolling_sideways(show: Open, width: int) -> None:
    page = show(deep_rows())
    page.width(width)
    page.one("#all").click()
    page.run(OPEN_ALL)
    page.wait_until("return document.querySelectorAll('.thread .message').length === 120 + 200")
    page.run(OPEN_ALL)
    assert page.run("return document.documentElement.scrollWidth") <= width
    narrowest = page.run(
        "return Math.min(...[...document.querySelectorAll('.thread .message .text')]"
        ".filter((text) => text.textContent.length >= 90).map((text) => text.clientWidth))"
    )
    assert narrowest > 120


def test_paper_has_the_tries_as_lines_and_the_tree(show: Open) -> None:
    page = show(multi_turn())
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    page.medium("print")
    assert all(item.is_displayed() for item in page.all(TRIES))
    assert len(page.all(".thread .message")) == 10
    assert all(message.is_displayed() for message in page.all(".thread .message"))
    assert page.contents(".abandoned > .title") == ["Abandoned branch: 2 messages"] * 2
    page.medium()
    page.run("window.dispatchEvent(new Event('afterprint'))")
    assert page.all(".thread") == []


def test_hostile_text_in_a_search_is_shown_and_does_nothing(show: Open) -> None:
    page = show(hostile_search(ALL))
    page.one(".line").click()
    page.run(OPEN_ALL)
    page.wait_until("return document.querySelectorAll('.tries > li').length === 3")
    page.run(OPEN_ALL)
    page.wait_until("return document.querySelectorAll('.tries .message').length === 6")
    assert page.contents(".thread .message .text") == [ALL] * 3
    assert page.driver.title != "acted"
    assert page.all("img, iframe, base, #list script, #list a, #list svg, [onfocus], [onmouseover]") == []
    assert page.log("browser") == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_of_a_search_stands_out_enough_to_be_read(show: Open, dark: bool) -> None:
    page = show(multi_turn())
    page.medium(dark=dark)
    page.one(".line").click()
    page.run(OPEN_ALL)
    page.wait_until("return document.querySelectorAll('.abandoned .notes').length === 2")
    read = [".tries .number", ".tries .input", ".legend", ".thread > .message .text", ".abandoned summary"]
    read += [".abandoned .message .text", ".abandoned .speaker", ".abandoned .notes li", ".folded summary"]
    assert page.too_faint(read) == {}
