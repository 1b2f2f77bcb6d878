from __future__ import annotations

from io import StringIO

import pytest

from sensei_kumite.targets.python_output import print_to_log, quiet_traceback


def test_what_has_a_file_of_its_own_goes_there(caplog: pytest.LogCaptureFixture) -> None:
    file = StringIO()
    with caplog.at_level("INFO"):
        print_to_log("a", "b", sep="+", end="!", file=file)
    assert file.getvalue() == "a+b!"
    assert caplog.records == []


def test_empty_lines_are_no_lines_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        print_to_log()
        print_to_log("  \n")
    assert caplog.records == []


def test_tracebacks_are_logged_whole(
    caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    traceback = quiet_traceback()
    with caplog.at_level("INFO"):
        try:
            raise ValueError("odd")
        except ValueError as error:
            traceback.print_exc()
            traceback.print_exception(error)
            assert traceback.format_exc().endswith("ValueError: odd\n")
    assert [record.getMessage().strip().splitlines()[-1] for record in caplog.records] == [
        "ValueError: odd",
        "ValueError: odd",
    ]
    assert capsys.readouterr() == ("", "")
