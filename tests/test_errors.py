"""What people read when something is wrong, and what survives a copy to another process."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from sensei_kumite.errors import (
    EXIT_PROBLEM,
    BudgetReached,
    ConfigurationError,
    KumiteError,
    ModelError,
    Place,
    Problem,
    TargetError,
    TargetProtocolError,
    TargetRejected,
    TargetTimeout,
    TargetUnavailable,
    short_path,
)

FILE = Path("/etc/a.yml")


class TestPlace:
    @pytest.mark.parametrize(
        ("place", "text"),
        [
            (Place(FILE), "/etc/a.yml"),
            (Place(FILE, 3), "/etc/a.yml:3"),
            (Place(FILE, 3, 5), "/etc/a.yml:3:5"),
            (Place(Path("b.yml"), 1, 1), "b.yml:1:1"),
        ],
    )
    def test_is_written_as_editors_read_it(self, place: Place, text: str) -> None:
        assert str(place) == text

    def test_is_named_from_the_current_folder_where_it_lies_below(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        assert str(Place(tmp_path.resolve() / "security" / "a.yml", 2)) == "security/a.yml:2"
        assert short_path(tmp_path.parent) == str(tmp_path.parent)

    def test_can_be_named_when_the_current_folder_is_gone(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        assert str(Place(FILE, 1)) == "/etc/a.yml:1"


class TestProblem:
    def test_is_a_line_with_place_message_and_hint(self) -> None:
        problem = Problem("unknown key 'atempts'.", Place(FILE, 3, 5), "Did you mean 'attempts'?")
        assert str(problem) == "/etc/a.yml:3:5: unknown key 'atempts'. Did you mean 'attempts'?"

    def test_without_place_or_hint_is_the_message(self) -> None:
        assert str(Problem("nothing.")) == "nothing."

    def test_may_be_a_warning(self) -> None:
        assert str(Problem("odd.", Place(FILE), severity="warning")) == "/etc/a.yml: warning: odd."

    def test_can_be_given_a_place_but_keeps_its_own(self) -> None:
        assert Problem("x").at(Place(FILE, 2)).place == Place(FILE, 2)
        assert Problem("x", Place(FILE, 1)).at(Place(FILE, 2)).place == Place(FILE, 1)


class TestConfigurationError:
    def test_sorts_by_file_line_and_column(self) -> None:
        later, sooner, other, nowhere = (
            Problem("later", Place(FILE, 10, 2)),
            Problem("sooner", Place(FILE, 9, 30)),
            Problem("other", Place(Path("/a.yml"), 99)),
            Problem("nowhere"),
        )
        error = ConfigurationError([later, sooner, other, nowhere])
        assert error.problems == [nowhere, other, sooner, later]
        assert str(error).splitlines() == [str(problem) for problem in error.problems]

    def test_ends_the_program_with_a_problem(self) -> None:
        assert ConfigurationError([]).exit_code == EXIT_PROBLEM


class TestTargetErrors:
    @pytest.mark.parametrize(
        ("kind", "transient"),
        [
            (TargetTimeout, True),
            (TargetUnavailable, True),
            (TargetRejected, False),
            (TargetProtocolError, False),
            (TargetError, False),
        ],
    )
    def test_know_whether_another_try_may_help(self, kind: type[TargetError], transient: bool) -> None:
        assert kind("x").transient is transient
        assert kind("x", transient=not transient).transient is not transient


@pytest.mark.parametrize(
    "error",
    [
        KumiteError("wrong.", hint="Do right."),
        ConfigurationError([Problem("a", Place(FILE, 1)), Problem("b")]),
        TargetRejected("no.", transient=True, retry_after=2.5, status=429),
        ModelError("no.", hint="Wait.", transient=True, status=429),
        BudgetReached("Budget of $1 reached."),
    ],
)
def test_errors_travel_between_processes(error: KumiteError) -> None:
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)
