"""run.yml: three ways to write connector parameters, switches, and keys that belong to other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.config.run_file import RunFile, read_run_file
from sensei_kumite.errors import Problem
from sensei_kumite.yaml_reader import parse_yaml
from sensei_kumite.yaml_scalars import TypedFloat, TypedInt

WORD = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


def read(text: str) -> tuple[RunFile, list[Problem]]:
    return read_run_file(parse_yaml(text, Path("run.yml")))


def params(value: str) -> Any:
    run_file, problems = read(f"connector_params: {value}")
    assert not problems, problems
    return run_file.connector_params


def complaint(text: str) -> str:
    (problem,) = read(text)[1]
    return str(problem)


def test_defaults() -> None:
    for text in (
        "",
        "technology:\nconnector_params:\nsecurity:\nexecution_parameters:\n",
        "security:\n  config:",
    ):
        run_file, problems = read(text)
        assert problems == []
        assert run_file.technology is None
        assert run_file.connector_params == {}
        assert run_file.security.config == "security/security.yml"
        assert run_file.execution_parameters == []


def test_a_file_of_an_older_version() -> None:
    run_file, problems = read(
        "project_folder: demo\n\ntechnology: taskyto\n"
        'connector_params: "base_url=http://127.0.0.1,port=5000"\n'
        "security:\n  config: security/other.yml\nexecution_parameters:\n  - verbose\n"
    )
    assert problems == []
    assert run_file.technology == "taskyto"
    assert run_file.connector_params == {"base_url": "http://127.0.0.1", "port": 5000}
    assert run_file.security.config == "security/other.yml"
    assert run_file.execution_parameters == ["verbose"]


class TestConnectorParams:
    @pytest.mark.parametrize(
        "value",
        [
            "a=1,b=x,c=true",
            "' a = 1 , b = x , c = True ,'",
            """'{"a": 1, "b": "x", "c": true}'""",
            "{a: 1, b: x, c: true}",
            "\n  a: 1\n  b: x\n  c: true",
        ],
    )
    def test_may_be_written_in_three_ways(self, value: str) -> None:
        assert params(value) == {"a": 1, "b": "x", "c": True}

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("5000", 5000),
            ("-3", -3),
            ("2.5", 2.5),
            ("true", True),
            ("FALSE", False),
            ("yes", "yes"),
            ("null", "null"),
            ("~", "~"),
            ("", ""),
            ("a=b=c", "a=b=c"),
            ("http://h/p?q=1&r=2", "http://h/p?q=1&r=2"),
            ("1.2.3", "1.2.3"),
        ],
    )
    def test_of_a_list_keep_sensible_types(self, text: str, value: Any) -> None:
        found = params(f"'key={text}'")["key"]
        assert found == value
        assert isinstance(found, type(value))

    @pytest.mark.parametrize("value", ["id=0071,v=1.10", "{id: 0071, v: 1.10}"])
    def test_remember_how_numbers_were_typed(self, value: str) -> None:
        found = params(value)
        assert isinstance(found["id"], TypedInt)
        assert isinstance(found["v"], TypedFloat)
        assert (found["id"].source, found["v"].source) == ("0071", "1.10")

    def test_of_json_remember_too(self) -> None:
        assert params("""'{"v": 1.10}'""")["v"].source == "1.10"

    @pytest.mark.parametrize("value", ["""'{"a": "x,y"}'""", "{a: 'x,y'}"])
    def test_may_hold_commas_in_the_other_forms(self, value: str) -> None:
        assert params(value) == {"a": "x,y"}

    @given(st.dictionaries(WORD, st.from_regex(r"[a-z=:/]{0,10}", fullmatch=True), max_size=5))
    def test_of_a_list_are_all_found(self, values: dict[str, str]) -> None:
        text = ",".join(f"{key}={value}" for key, value in values.items())
        assert params(f"'{text}'") == {
            key: {"true": True, "false": False}.get(v, v) for key, v in values.items()
        }

    @pytest.mark.parametrize(
        ("value", "words"),
        [
            ("base_url=x,hunter2", "pair 2 is not of the form key=value; where a value holds a comma"),
            ("hunter2", "pair 1 is not of the form key=value"),
            ("=hunter2", "pair 1 is not of the form key=value"),
            ("a=hunter2,a=hunter2", "'a' is given twice"),
            ("""'{"a": hunter2}'""", "is not a valid JSON object: "),
            (f"""'{{"a": {"[" * 100_000}'""", "is nested too deeply"),
            ("[hunter2]", "should be a mapping (lines of 'key: value'), not a list"),
            ("5", "should be a mapping (lines of 'key: value'), not 5"),
        ],
    )
    def test_that_are_wrong_are_explained_without_repeating_secrets(self, value: str, words: str) -> None:
        message = complaint(f"connector_params: {value}")
        assert message.startswith("run.yml:1:")
        assert words in message
        assert "hunter2" not in message


class TestSwitches:
    @pytest.mark.parametrize("name", ["validate-only", "validate_only", "--validate-only", "Validate_Only"])
    def test_take_dashes_and_underscores_alike(self, name: str) -> None:
        assert read(f"execution_parameters: [{name}]")[0].execution_parameters == ["validate_only"]

    def test_are_a_list(self) -> None:
        assert complaint("execution_parameters: verbose").startswith(
            "run.yml:1:23: execution_parameters: should be a list"
        )


class TestProblems:
    def test_keys_of_other_tools_are_warnings(self) -> None:
        run_file, problems = read("technology: rasa\ntecnology: x\nprofiles: 3\nsecurity: {confg: a}\n")
        assert run_file.technology == "rasa"
        assert [str(problem) for problem in problems] == [
            "run.yml:2:1: warning: unknown key 'tecnology' is ignored. Did you mean 'technology'?",
            "run.yml:3:1: warning: unknown key 'profiles' is ignored.",
            "run.yml:4:12: warning: security: unknown key 'confg' is ignored. Did you mean 'config'?",
        ]

    def test_a_wrong_value_keeps_the_rest(self) -> None:
        run_file, problems = read("technology: rasa\nsecurity:\n  config: true\nconnector_params: a\n")
        assert run_file.technology == "rasa"
        assert run_file.security.config == "security/security.yml"
        assert {str(problem).split(":")[1] for problem in problems} == {"3", "4"}
        assert all(problem.severity == "error" for problem in problems)

    @pytest.mark.parametrize("text", ["- a", "text", "5"])
    def test_something_else_than_a_mapping_is_one_problem(self, text: str) -> None:
        assert complaint(text).startswith("run.yml:1:1: this file should hold a mapping")
