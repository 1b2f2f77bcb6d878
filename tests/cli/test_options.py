from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.cli.options import parse


def test_a_run_needs_nothing_but_its_folder() -> None:
    options = parse(["--run-from-yaml", "project"])
    assert options.run_from_yaml == Path("project")
    assert (options.concurrency, options.seed, options.max_asr, options.fail_on) == (None, None, None, "none")


def test_names_are_given_as_a_list() -> None:
    assert parse(["-rfy", "p", "--attack", "amnesia, ucar"]).attack == ["amnesia", "ucar"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "nothing to do"),
        (["-pp", "p"], "--project-path needs --config"),
        (["-c", "x.yml"], "--config needs"),
        (["-rfy", "p", "-pp", "p"], "--run-from-yaml names the project"),
        (["-rfy", "p", "--validate-only", "--dry-run"], "exclude each other"),
        (["-rfy", "p", "-q", "-v"], "not allowed with"),
        (["-rfy", "p", "--concurrency", "0"], "should be a"),
        (["-rfy", "p", "--concurrency", "many"], "should be a"),
        (["-rfy", "p", "--max-asr", "1.1"], "should be a"),
        (["-rfy", "p", "--max-asr", "nan"], "should be a"),
        (["-rfy", "p", "--fail-on", "breeches"], "invalid choice"),
        (["-rfy", "p", "--attack", ","], "at least one name"),
        (["-rfy", "p", "--run"], "unrecognized"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert expected in capsys.readouterr().err


def test_a_run_has_one_dynamic_attack_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(["-rfy", "x", "--dynamic", "best_of_n", "--dynamic", "tap"])
    assert ended.value.code == 2
    assert "--dynamic is given twice" in capsys.readouterr().err


def test_what_was_said_of_the_search_has_the_keys_of_its_block() -> None:
    options = parse(
        ["-rfy", "x", "--dynamic", "tap", "--attack-iterations", "3", "--attack-options", "depth=2"]
    )
    assert options.search == {"attack": "tap", "iterations": 3, "options": "depth=2"}
    assert parse(["-rfy", "x"]).search == {}
