from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from sensei_kumite.engine.run_folder import RunFolder, RunState
from sensei_kumite.errors import EnvironmentProblem, KumiteError

NOW = datetime(2026, 3, 4, 5, 6, 7)
STATE = RunState(seed=7, started="2026-03-04T05:06:07+00:00", campaign={"attacks": [{"name": "amnesia"}]})


def test_a_run_folder_is_named_by_its_serial(tmp_path: Path) -> None:
    folder = RunFolder.take(tmp_path, "my suite/2026: x", NOW)
    assert folder.serial == "2026-03-04-05-06-07"
    assert folder.path == tmp_path / "security_reports" / "my_suite_2026__x" / folder.serial
    assert folder.path.is_dir()


def test_serials_are_unique_even_among_campaigns(tmp_path: Path) -> None:
    serials = [RunFolder.take(tmp_path, name, NOW).serial for name in ("a", "a", "b", "a")]
    assert len(set(serials)) == 4


def test_names_never_leave_the_output_folder(tmp_path: Path) -> None:
    for name in ("..", "../../etc", "/", ""):
        path = RunFolder.take(tmp_path / "output", name, NOW).path.resolve()
        assert path.is_relative_to((tmp_path / "output" / "security_reports").resolve())
        assert path.parent.parent == (tmp_path / "output" / "security_reports").resolve()


def test_an_output_that_is_a_file_is_a_clear_problem(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("not a folder")
    with pytest.raises(EnvironmentProblem, match="output"):
        RunFolder.take(tmp_path / "output", "name", NOW)


@pytest.mark.parametrize("shared", ["security_reports/__summary_reports__", "reports/__cost_reports__"])
def test_a_file_in_the_way_of_shared_folders_is_found_before_the_run(tmp_path: Path, shared: str) -> None:
    (tmp_path / shared).parent.mkdir(parents=True)
    (tmp_path / shared).write_text("")
    with pytest.raises(EnvironmentProblem, match="is a file where a folder belongs"):
        RunFolder.take(tmp_path, "name", NOW)


def test_a_state_is_read_back_as_it_was_saved(tmp_path: Path) -> None:
    folder = RunFolder.take(tmp_path, "name", NOW)
    folder.save(STATE)
    assert folder.state() == STATE


def test_the_latest_unfinished_run_is_found(tmp_path: Path) -> None:
    folders = [RunFolder.take(tmp_path, "name", NOW.replace(second=second)) for second in (1, 2, 3)]
    for folder, finished in zip(folders, (False, False, True), strict=True):
        folder.save(RunState(seed=1, started="", campaign={}, finished=finished))
    assert RunFolder.find(tmp_path, "name", None)[0].serial == folders[1].serial
    assert RunFolder.find(tmp_path, "name", folders[0].serial)[0].serial == folders[0].serial
    with pytest.raises(KumiteError, match="is finished"):
        RunFolder.find(tmp_path, "name", folders[2].serial)
    with pytest.raises(KumiteError, match=r"no run '1999'.*2026-03-04-05-06-01"):
        RunFolder.find(tmp_path, "name", "1999")
    with pytest.raises(KumiteError, match="No unfinished run"):
        RunFolder.find(tmp_path, "other", None)


def test_a_run_is_for_one_process_at_a_time(tmp_path: Path) -> None:
    folder = RunFolder.take(tmp_path, "name", NOW)
    script = (
        "import sys; from pathlib import Path; from sensei_kumite.engine.run_folder import RunFolder\n"
        f"with RunFolder(Path({str(tmp_path)!r}), 'name', {folder.serial!r}).locked():\n"
        "    print('locked', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(KumiteError, match="Another process"), folder.locked():
            pass
        other.kill()
    with folder.locked():
        pass
