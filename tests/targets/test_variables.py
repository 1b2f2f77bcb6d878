"""Environment variables in parameters: found, missed, kept secret, and kept at home."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.targets.variables import Variables


@pytest.fixture
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Variables:
    (tmp_path / ".env").write_text("FILED=from the file\nBOTH=file\n")
    monkeypatch.setenv("BOTH", " environment ")
    monkeypatch.setenv("BLANK", " ")
    monkeypatch.delenv("GONE", raising=False)
    return Variables(tmp_path)


def test_a_value_is_found_and_the_environment_wins(variables: Variables) -> None:
    assert variables.value("FILED", "url") == "from the file"
    assert variables.value("BOTH", "url") == "environment"
    assert variables.problems("https://a.example", confined=False) == []


@pytest.mark.parametrize("name", ["GONE", "BLANK"])
def test_a_missing_one_is_a_problem_once(name: str, variables: Variables) -> None:
    assert [variables.value(name, "url"), variables.value(name, "body")] == ["", ""]
    assert variables.lacks("url")
    assert not variables.lacks("body")
    (problem,) = variables.problems("https://a.example", confined=False)
    assert problem.key == "url"
    assert f"the environment variable {name}, which the connector parameter url names, is not set" in str(
        problem
    )


def test_values_are_secret_as_they_may_be_written(variables: Variables) -> None:
    variables.value("FILED", "url")
    assert {"from the file", "from%20the%20file"} <= set(variables.secrets)


def test_confined_no_value_leaves_for_a_server_that_is_not_local(variables: Variables) -> None:
    assert variables.problems("https://a.example", confined=True) == []
    variables.value("BOTH", "url")
    assert variables.problems("", confined=True) == []
    assert variables.problems("http://127.0.0.1:1", confined=True) == []
    (problem,) = variables.problems("https://a.example", confined=True)
    assert problem.message == "--safe sends no key to a server that the workspace names."
