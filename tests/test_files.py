"""Finding files without leaving a folder, writing files whole, and names that every system takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sensei_kumite.errors import ConfigurationError
from sensei_kumite.files import file_name, resolve_path, write_atomically


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project folder with a secret beside it."""
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "project"
    (folder / "security").mkdir(parents=True)
    (folder / "security" / "a.yml").write_text("a")
    (folder / "a.yml").write_text("b")
    (folder / "b.yml").write_text("c")
    return folder


class TestResolvePath:
    def test_takes_the_first_folder_that_has_the_file(self, project: Path) -> None:
        folders = [project / "security", project]
        assert resolve_path("a.yml", folders) == (project / "security" / "a.yml").resolve()
        assert resolve_path("b.yml", folders) == (project / "b.yml").resolve()

    def test_finds_folders_and_absolute_paths(self, project: Path) -> None:
        assert resolve_path("security", [project]) == (project / "security").resolve()
        assert resolve_path(str(project / "b.yml"), [project / "security"]).name == "b.yml"

    def test_understands_the_home_folder(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(project))
        assert resolve_path("~/b.yml", [project / "security"]) == (project / "b.yml").resolve()

    def test_of_a_missing_file_says_where_it_looked(self, project: Path) -> None:
        with pytest.raises(ConfigurationError) as caught:
            resolve_path("c.yml", [project / "security", project, project])
        message = str(caught.value)
        assert "'c.yml' was not found" in message
        assert message.count(str(project / "security")) == 1
        assert message.endswith(f"security, {project}.")

    @pytest.mark.parametrize("name", ["a\0b", "x" * 5000, "~nobody-of-this-name/a", "a.yml/b"])
    def test_of_an_impossible_name_is_an_error(self, project: Path, name: str) -> None:
        with pytest.raises(ConfigurationError, match="was not found"):
            resolve_path(name, [project])

    def test_of_a_loop_of_links_is_an_error(self, project: Path) -> None:
        (project / "loop").symlink_to("loop")
        with pytest.raises(ConfigurationError, match="was not found"):
            resolve_path("loop", [project])

    @pytest.mark.parametrize(
        "name", ["../secret.txt", "security/../../secret.txt", "link.txt", "linked/secret.txt"]
    )
    def test_does_not_leave_the_folder_it_has_to_stay_in(self, project: Path, name: str) -> None:
        (project / "link.txt").symlink_to(project.parent / "secret.txt")
        (project / "linked").symlink_to(project.parent)
        assert resolve_path(name, [project]).read_text() == "secret"
        with pytest.raises(ConfigurationError, match="leads out of the workspace"):
            resolve_path(name, [project], within=project)

    def test_refuses_an_absolute_path_elsewhere(self, project: Path) -> None:
        with pytest.raises(ConfigurationError, match="leads out of the workspace"):
            resolve_path(str(project.parent / "secret.txt"), [project], within=project)

    def test_does_not_go_on_to_another_folder_after_a_refusal(self, project: Path) -> None:
        (project / "security" / "b.yml").symlink_to(project.parent / "secret.txt")
        with pytest.raises(ConfigurationError, match="leads out of the workspace"):
            resolve_path("b.yml", [project / "security", project], within=project)

    def test_follows_links_that_stay_inside(self, project: Path) -> None:
        (project / "link.yml").symlink_to("security/a.yml")
        assert resolve_path("link.yml", [project], within=project).read_text() == "a"

    def test_takes_a_linked_project_for_what_it_is(self, project: Path) -> None:
        other = project.parent / "other"
        other.symlink_to(project)
        assert resolve_path("b.yml", [other], within=other).read_text() == "c"

    def test_is_not_misled_by_a_folder_with_a_longer_name(self, project: Path) -> None:
        twin = project.parent / "project-2"
        twin.mkdir()
        (twin / "x.yml").write_text("x")
        with pytest.raises(ConfigurationError, match="leads out of the workspace"):
            resolve_path("../project-2/x.yml", [project], within=project)


class TestWriteAtomically:
    def test_makes_folders_and_writes_utf_8_with_plain_line_ends(self, tmp_path: Path) -> None:
        path = tmp_path / "a" / "b" / "report.yml"
        with write_atomically(path) as stream:
            stream.write("ñ\nx\n")
        assert path.read_bytes() == "ñ\nx\n".encode()

    def test_shows_nothing_until_it_is_complete(self, tmp_path: Path) -> None:
        path = tmp_path / "report.yml"
        path.write_text("old")
        with write_atomically(path) as stream:
            stream.write("new")
            stream.flush()
            assert path.read_text() == "old"
        assert path.read_text() == "new"

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_leaves_nothing_behind_when_it_fails(self, tmp_path: Path, error: type[BaseException]) -> None:
        path = tmp_path / "report.yml"
        path.write_text("old")
        with pytest.raises(error), write_atomically(path) as stream:
            stream.write("half")
            raise error
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]

    def test_gives_the_permissions_of_any_new_file(self, tmp_path: Path) -> None:
        ordinary = tmp_path / "ordinary"
        ordinary.write_text("x")
        with write_atomically(tmp_path / "report.yml") as stream:
            stream.write("x")
        assert (tmp_path / "report.yml").stat().st_mode == ordinary.stat().st_mode

    def test_replaces_a_link_rather_than_what_it_points_to(self, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        outside.write_text("kept")
        (tmp_path / "report.yml").symlink_to(outside)
        with write_atomically(tmp_path / "report.yml") as stream:
            stream.write("new")
        assert outside.read_text() == "kept"
        assert (tmp_path / "report.yml").read_text() == "new"

    def test_takes_a_name_as_long_as_the_system_allows(self, tmp_path: Path) -> None:
        path = tmp_path / ("x" * 255)
        with write_atomically(path) as stream:
            stream.write("x")
        assert path.read_text() == "x"

    def test_raises_what_the_system_says(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(OSError), write_atomically(tmp_path / "file" / "report.yml"):
            pass


class TestFileName:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("security_suite", "security_suite"),
            ("billing/2026: suite", "billing_2026__suite"),
            ("a.b-c_D9", "a.b-c_D9"),
            ("../../etc/passwd", ".._.._etc_passwd"),
            ("café ñandú", "café_ñandú"),
            ("日本", "日本"),
            ("चाय", "चाय"),
            ("e\u0301", "é"),
            ("a\u202eb\u2028c\nd\te\0f", "a_b_c_d_e_f"),
            ("tab\\pipe|star*", "tab_pipe_star_"),
            ("😀", "_"),
            ("", "_"),
            (".", "_."),
            ("..", "_.."),
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
            ("com1", "_com1"),
            ("console", "console"),
        ],
    )
    def test_keeps_letters_and_digits(self, text: str, name: str) -> None:
        assert file_name(text) == name

    @given(st.text(st.characters(), max_size=400))
    @example("..")
    @example("\ud800")
    @example("x" * 300)
    @example("ñ" * 300)
    @example("__summary_reports__")
    @example("::0:REPORTS::")
    def test_is_one_short_component_of_a_path(self, text: str) -> None:
        name = file_name(text)
        assert name not in ("", ".", "..")
        assert Path(name).name == name
        assert not set(name) & set('/\\:*?"<>|\0\n\r ')
        assert len(name.encode()) <= 150
        assert file_name(name) == name

    def test_of_long_texts_differ_where_the_texts_do(self) -> None:
        names = {file_name("x" * 300 + end) for end in ("a", "b", "c")}
        assert len(names) == 3

    def test_of_a_long_text_cuts_no_character_in_half(self) -> None:
        assert file_name("日" * 200).startswith("日" * 40)
