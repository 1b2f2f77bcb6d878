"""Query files as people write them: what they declare, and what is wrong with them, each with its line."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.attacks.queries.document import QueryFile, read_query_file
from tests.attacks.queries.campaign import problems_of

HEAD = "Tests:\n  - Name: One\n    Query: Hi\n"
POTENTIAL = f"{HEAD}    Weight: Potential\n"


def read(folder: Path, text: str) -> QueryFile:
    path = folder / "q.yml"
    path.write_text(text, encoding="utf-8")
    return read_query_file(path, lambda *_: [])


def sent(folder: Path, text: str) -> list[str]:
    return [query for test in read(folder, text).tests for query, _ in test.query.expansions()]


class TestWhatIsDeclared:
    def test_the_head(self, tmp_path: Path) -> None:
        text = (
            "%YAML 1.2\n---\nName:\n  An attack\n  file\n\nDescription: |\n  Two\n  lines.\n"
            f"Contributors:\n  - somebody\n  - 007\nTaxonomy: [LLM05]\n{POTENTIAL}"
        )
        found = read(tmp_path, text)
        assert (found.name, found.description) == ("An attack file", "Two lines.")
        assert (found.contributors, found.taxonomy) == (("somebody", "007"), ("LLM05",))
        assert found.problems == ()

    def test_a_test(self, tmp_path: Path) -> None:
        [test] = read(tmp_path, POTENTIAL).tests
        assert (test.test_id, test.name, test.weight, test.query.count) == ("one", "One", "Potential", 1)
        assert test.oracle.params == {"weight": "Potential"}

    def test_only_tests_are_needed(self, tmp_path: Path) -> None:
        found = read(tmp_path, "Tests: [{Query: a, Weight: Potential}, {Query: b, Weight: Potential}]")
        assert [(test.name, test.test_id) for test in found.tests] == [
            ("Query 1", "query-1"),
            ("Query 2", "query-2"),
        ]
        assert (found.name, found.contributors, found.problems) == ("", (), ())

    @pytest.mark.parametrize(
        "empty", ["Variables:\n", "Variables: {}\n", "Contributors:\n", "Description:\n"]
    )
    def test_keys_without_a_value_are_not_given(self, tmp_path: Path, empty: str) -> None:
        assert read(tmp_path, empty + POTENTIAL).problems == ()

    @pytest.mark.parametrize(
        "typed",
        ["No", "007", "1.10", "true", "NULL", "~", "0x1F", "1_000", "2024-01-01", "12:30", "1e3", "+1"],
    )
    def test_values_are_text_exactly_as_typed(self, tmp_path: Path, typed: str) -> None:
        text = f"""
            Name: {typed}
            Contributors: [{typed}]
            Variables: {{{typed}: [{typed}]}}
            Tests:
              - {{Name: {typed}, Query: "{{{{ {typed} }}}}", Weight: Potential}}
              - {{Query: {typed}, Weight: Absolute, Comparer: Contains, ToLower: no, Output: [{typed}]}}
              - {{Query: x, Weight: Absolute, Comparer: Regex, Regex: [{typed}]}}
        """
        found = read(tmp_path, text)
        assert found.problems == ()
        assert (found.name, found.contributors, found.tests[0].name) == (typed, (typed,), typed)
        assert sent(tmp_path, text) == [typed, typed, "x"]
        assert found.tests[1].oracle.params["output"] == [typed]
        assert found.tests[2].oracle.params["regex"] == [typed]

    def test_a_value_may_be_empty(self, tmp_path: Path) -> None:
        text = "Variables:\n  a:\n    -\n    - ''\n    - x\nTests: [{Query: 'a{{ a }}', Weight: Potential}]"
        assert sent(tmp_path, text) == ["a", "a", "ax"]

    @pytest.mark.parametrize(
        ("typed", "is_true"),
        [("true", True), ("True", True), ("yes", True), ("false", False), ("'off'", False)],
    )
    def test_to_lower_is_a_switch(self, tmp_path: Path, typed: str, is_true: bool) -> None:
        text = f"{HEAD}    Weight: Absolute\n    Comparer: Contains\n    Output: [x]\n    ToLower: {typed}\n"
        [test] = read(tmp_path, text).tests
        assert test.oracle.params.get("to_lower", False) is is_true


class TestWhatIsWrong:
    @pytest.mark.parametrize(
        ("text", "place", "says"),
        [
            ("", "1:1", "Tests: should be a list of at least one test"),
            ("Name: x\n", "1:1", "Tests: should be a list"),
            ("Name: x\nTests: []\n", "2:8", "Tests: should be a list"),
            ("Tests: all\n", "1:8", "Tests: should be a list"),
            ("- Query: x\n", "1:1", "should hold a mapping"),
            (
                "Tests:\n  - Hello\n",
                "2:5",
                "Tests[1]: should be a mapping with a Query and a Weight, not 'Hello'",
            ),
            (f"{POTENTIAL}Test: x\n", "5:1", "unknown key 'Test'. Did you mean 'Tests'?"),
            (
                f"{POTENTIAL}    query: x\n",
                "5:5",
                "Tests[1] (One): unknown key 'query'. Did you mean 'Query'?",
            ),
            (HEAD, "2:5", "Tests[1] (One): the key 'Weight' is missing."),
            ("Tests:\n  - Weight: Potential\n", "2:5", "Tests[1]: the key 'Query' is missing."),
            (
                "Tests:\n  - Query: ''\n    Weight: Potential\n",
                "2:12",
                "Tests[1] > Query: must not be empty.",
            ),
            ("Tests:\n  - Query: [a]\n    Weight: Potential\n", "2:5", "Query: should be text, not a list."),
            (
                f"{HEAD}    Weight: potential\n",
                "4:13",
                "Weight: 'potential' is not valid. Did you mean 'Potential'?",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Regexp\n    Regex: [a]\n",
                "5:15",
                "Comparer: 'Regexp' is not valid. Did you mean 'Regex'? Valid: 'Contains' or 'Regex'.",
            ),
            (f"{HEAD}    Weight: Absolute\n", "4:5", "Weight Absolute needs a Comparer: Contains or Regex."),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Contains\n    Output: [a]\n",
                "5:5",
                "Comparer Contains needs the key 'ToLower', which is missing.",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Regex\n    Regex:\n",
                "5:5",
                "Comparer Regex needs the key 'Regex', which is missing.",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Contains\n    ToLower: maybe\n    Output: [a]\n",
                "6:14",
                "ToLower: should be true or false, not 'maybe'.",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Contains\n    ToLower: no\n    Output: a\n",
                "7:13",
                "Output: should be a list (lines that begin with '- '), not 'a'.",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Contains\n    ToLower: no\n    Output: [a, '']\n",
                "7:17",
                "Output[2]: must not be empty.",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Regex\n    Regex: []\n",
                "6:5",
                "Regex: is empty; list at least one.",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Regex\n    Regex:\n    - x\n    - 'f(ine'\n",
                "8:7",
                "Tests[1] (One) > Regex[2]: the pattern 'f(ine' does not compile: missing )",
            ),
            (
                f"{HEAD}    Weight: Absolute\n    Comparer: Regex\n    Regex: ['(\\w+\\s?)*']\n",
                "6:13",
                "Regex[1]: the pattern '(\\w+\\s?)*' is unsafe",
            ),
            (f"Variables:\n  a: []\n{POTENTIAL}", "2:3", "Variables > a: is empty; list at least one."),
            (f"Variables:\n  a: x\n{POTENTIAL}", "2:6", "Variables > a: should be a list"),
            (f"Variables:\n  a: [[x]]\n{POTENTIAL}", "2:7", "Variables > a[1]: should be text, not a list."),
            (f"Contributors: me\n{POTENTIAL}", "1:15", "Contributors: should be a list"),
            (f"Name: [x]\n{POTENTIAL}", "1:1", "Name: should be text, not a list."),
            (f"Name: x\nName: y\n{POTENTIAL}", "2:1", "duplicate key 'Name'"),
            ("Tests:\n\t- x\n", "2:1", "Indent with spaces"),
            (f"Contributors: [@me]\n{POTENTIAL}", "1:16", "must be quoted"),
        ],
    )
    def test_a_mistake_has_its_place(self, tmp_path: Path, text: str, place: str, says: str) -> None:
        [problem] = problems_of(tmp_path, text)
        assert problem.startswith(f"q.yml:{place}: ")
        assert says in problem
        assert "warning" not in problem

    def test_one_mistake_in_fifty_tests_is_the_one_that_is_reported(self, tmp_path: Path) -> None:
        tests = [f"  - Name: Number {n}\n    Query: Say {n}.\n    Weight: Potential\n" for n in range(1, 51)]
        tests[36] = tests[36].replace("Potential", "Possible")
        [problem] = problems_of(tmp_path, "Tests:\n" + "".join(tests))
        assert problem.startswith("q.yml:112:13: Tests[37] (Number 37) > Weight: 'Possible' is not valid.")

    def test_all_mistakes_are_reported_at_once(self, tmp_path: Path) -> None:
        text = (
            "Naem: x\nVariables: {a: []}\nTests:\n"
            "  - {Query: x}\n"
            "  - {Query: x, Weight: Absolute, Comparer: Regex, Regex: ['(', ')'], Output: 3}\n"
            "  - {Weight: Absolute, Comparer: Contains}\n"
        )
        found = problems_of(tmp_path, text)
        assert [problem.split(":")[1] for problem in found] == ["1", "2", "4", "5", "5", "5", "6", "6", "6"]

    def test_messages_show_what_was_written_and_nothing_more(self, tmp_path: Path) -> None:
        text = 'Tests: [{Name: "a\\e[31m\\n: x", Query: x, Weight: "\\u202e"}]'
        [problem] = problems_of(tmp_path, text)
        assert problem.isprintable()

    @given(
        st.recursive(st.none() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=5)
    )
    def test_any_value_in_place_of_another_is_no_crash(self, value: object) -> None:

        for key in ("Name", "Query", "Weight", "Comparer", "ToLower", "Output", "Regex"):
            test = {"Query": "x", "Weight": "Absolute", "Comparer": "Contains", key: value}
            file = {"Variables": {"a": value}, "Tests": [test, value]}
            with TemporaryDirectory() as folder:
                assert read(Path(folder), json.dumps(file, ensure_ascii=False)).problems


class TestWhatMayBeWrong:
    @pytest.mark.parametrize(
        ("query", "says"),
        [
            ("{{ tset }}", "{{ tset }} is no declared variable and is sent as it is. Did you mean 'test'?"),
            ("{{ other }} {{ other }}", "{{ other }} is no declared variable and is sent as it is."),
        ],
    )
    def test_an_undeclared_name_is_a_warning_once(self, tmp_path: Path, query: str, says: str) -> None:
        text = f"Variables: {{test: [x]}}\nTests:\n  - Query: '{query}'\n    Weight: Potential\n"
        assert problems_of(tmp_path, text) == [f"q.yml:3:12: warning: Tests[1] > Query: {says}"]

    def test_a_variable_with_a_mistake_is_declared_all_the_same(self, tmp_path: Path) -> None:
        text = "Variables: {test: []}\nTests: [{Query: '{{ test }}', Weight: Potential}]\n"
        [problem] = problems_of(tmp_path, text)
        assert "warning" not in problem

    @pytest.mark.parametrize("query", ["{{ 7*7 }}", "{{test}}", "{{ config.items() }}", "${test}", "{{ }}"])
    def test_payloads_with_braces_are_none(self, tmp_path: Path, query: str) -> None:
        text = f"Variables: {{test: [x]}}\nTests: [{{Query: '{query}', Weight: Potential}}]\n"
        assert problems_of(tmp_path, text) == []
        assert sent(tmp_path, text) == [query]

    def test_keys_that_change_nothing_are_warnings(self, tmp_path: Path) -> None:
        text = f"{POTENTIAL}    Comparer: Regex\n    Regex: [x]\n"
        assert problems_of(tmp_path, text) == [
            "q.yml:5:15: warning: Tests[1] (One): 'Comparer' changes nothing with Weight Potential.",
            "q.yml:6:12: warning: Tests[1] (One): 'Regex' changes nothing with Weight Potential.",
        ]
