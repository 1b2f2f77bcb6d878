"""Paths into JSON: what they find, what they do not, and what is no path."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.targets.json_path import find_all, parse_path

DOCUMENT = {
    "reply": "hi",
    "it's": {"a.b": 1, '"': 2},
    "items": [{"text": "one"}, {"text": "two"}, {"other": "three"}],
    "nested": [[1, 2], [3]],
    "0": "zero",
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("$.reply", ["hi"]),
        ("reply", ["hi"]),
        (" $['reply'] ", ["hi"]),
        ('["reply"]', ["hi"]),
        ("$.items[0].text", ["one"]),
        ("items[ -2 ].text", ["two"]),
        ("items.0.text", ["one"]),
        ("items.-2.text", ["two"]),
        ("items[*].text", ["one", "two"]),
        ("$.items.*.text", ["one", "two"]),
        ("nested[*][0]", [1, 3]),
        ("nested[0]", [[1, 2]]),
        (r"$['it\'s']['a.b']", [1]),
        (r'$["it\'s"]["\""]', [2]),
        ("$['0']", ["zero"]),
        ("$.0", ["zero"]),
        ("$.items[3]", []),
        ("$.items[-4]", []),
        ("$.items.text", []),
        ("$[0]", []),
        ("$.reply.length", []),
        ("$.reply[*]", []),
        ("$.gone", []),
        ("$", [DOCUMENT]),
    ],
)
def test_a_path_finds_what_it_leads_to(path: str, found: list[Any]) -> None:
    assert find_all(parse_path(path), DOCUMENT) == found


@pytest.mark.parametrize(
    "path",
    [
        *("", ".", "a b", "$..text", "$.", "$reply", "$.items[", "$.items[0", "$.items[1:2]"),
        *("$.items[?@.a]", "$['a]", "$.items[9999999999]", "$.a[]", "$.a''"),
    ],
)
def test_what_is_no_path_is_refused_from_where_it_ends(path: str) -> None:
    with pytest.raises(ValueError, match="is no path that can be read, from "):
        parse_path(path)


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    try:
        steps = parse_path(text)
    except ValueError:
        return
    assert isinstance(find_all(steps, DOCUMENT), list)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def paths_in(value: Any, path: str = "$") -> list[tuple[str, Any]]:
    """Every value of a document, with a path that is spelled for it."""
    found = [(path, value)]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        quoted = str(key).replace("\\", "\\\\").replace("'", "\\'")
        step = f"[{key}]" if isinstance(value, list) else f"['{quoted}']"
        found += paths_in(inner, path + step)
    return found


@given(VALUES)
def test_every_value_of_a_document_is_found_by_its_path(document: Any) -> None:
    document = json.loads(json.dumps(document))
    for path, value in paths_in(document):
        assert find_all(parse_path(path), document) == [value]
