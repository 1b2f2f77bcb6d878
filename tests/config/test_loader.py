"""Whole workspaces: which files are read, what wins, every problem at once, and where paths may lead."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sensei_kumite.config.loader import Overrides, Workspace, load_workspace
from sensei_kumite.errors import ConfigurationError, Problem

RUN = "technology: rasa\n"
ATTACKS = "attacks:\n  - name: amnesia\n"
Make = Callable[[Mapping[str, str]], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write the files of a project folder."""

    def write(files: Mapping[str, str]) -> Path:
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def campaign(make: Make) -> Callable[[str], Workspace]:
    """Load a workspace with this security.yml."""
    return lambda text: load_workspace(make({"run.yml": RUN, "security/security.yml": text}))


def lines(workspace: Workspace) -> list[str]:
    return [without_folder(problem) for problem in sorted(workspace.problems, key=Problem.sort_key)]


def without_folder(problem: Problem) -> str:
    place = str(problem.place)
    return str(problem).replace(place, place.rpartition("/")[2])


def failures(project: Path | None, config: Path | None = None, *, safe: bool = False) -> list[str]:
    with pytest.raises(ConfigurationError) as caught:
        load_workspace(project, config=config, safe=safe)
    return [without_folder(problem) for problem in caught.value.problems]


class TestWhichFiles:
    def test_run_yml_names_the_campaign(self, make: Make) -> None:
        project = make({"run.yml": "security: {config: other/c.yml}\n", "other/c.yml": ATTACKS})
        workspace = load_workspace(project)
        assert workspace.document.path == (project / "other" / "c.yml").resolve()
        assert workspace.project == project.resolve()
        assert [(position, entry.name) for position, entry in workspace.entries] == [(0, "amnesia")]
        assert workspace.problems == ()

    def test_the_campaign_has_a_default_place(self, campaign: Callable[[str], Workspace]) -> None:
        assert campaign(ATTACKS).document.path.name == "security.yml"

    def test_run_yaml_is_read_too(self, make: Make) -> None:
        workspace = load_workspace(make({"run.yaml": RUN, "security/security.yml": ATTACKS}))
        assert workspace.run_file.technology == "rasa"
        assert workspace.run_place(("technology",)).file.name == "run.yaml"

    def test_run_yml_goes_before_run_yaml(self, make: Make) -> None:
        files = {"run.yml": RUN, "run.yaml": "technology: taskyto", "security/security.yml": ATTACKS}
        workspace = load_workspace(make(files))
        assert workspace.run_file.technology == "rasa"
        assert lines(workspace) == ["run.yaml: warning: is not read, because run.yml is there too."]

    def test_the_command_line_names_another_campaign(
        self, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        project = make({"run.yml": RUN, "security/security.yml": "nonsense", "c.yml": ATTACKS})
        (tmp_path / "d.yml").write_text("attacks: [{name: other}]")
        monkeypatch.chdir(tmp_path)
        for config, name in (
            (Path("c.yml"), "amnesia"),
            (Path("d.yml"), "other"),
            (project / "c.yml", "amnesia"),
        ):
            workspace = load_workspace(project, config=config)
            assert workspace.entries[0][1].name == name
            assert workspace.run_file.technology == "rasa"

    def test_a_named_campaign_needs_no_run_yml(self, make: Make) -> None:
        project = make({"security/security.yml": ATTACKS})
        config = project / "security" / "security.yml"
        workspace = load_workspace(project, config=config)
        assert workspace.run_file.technology is None
        assert workspace.run_place().file == project.resolve() / "run.yml"
        assert load_workspace(None, config=config).project == project.resolve()

    def test_a_campaign_outside_of_security_belongs_to_its_folder(self, make: Make) -> None:
        project = make({"c.yml": ATTACKS})
        assert load_workspace(None, config=project / "c.yml").project == project.resolve()


class TestWhatWins:
    TEXT = "execution: {concurrency: 2, seed: 5}\nreports: [html]\n" + ATTACKS

    def test_the_file_over_defaults(self, campaign: Callable[[str], Workspace]) -> None:
        execution = campaign(self.TEXT).campaign.execution
        assert (execution.concurrency, execution.seed, execution.retries) == (2, 5, 2)

    def test_the_command_line_over_the_file(self, make: Make) -> None:
        project = make({"run.yml": RUN, "security/security.yml": self.TEXT})
        workspace = load_workspace(project, overrides=Overrides(concurrency=8, seed=0, reports=("csv",)))
        assert workspace.campaign.execution.concurrency == 8
        assert workspace.campaign.execution.seed == 0
        assert workspace.campaign.reports == ["csv"]

    def test_what_the_command_line_does_not_say_stays(self, make: Make) -> None:
        project = make({"run.yml": RUN, "security/security.yml": self.TEXT})
        assert load_workspace(project, overrides=Overrides()).campaign.reports == ["html"]

    @pytest.mark.parametrize(
        ("text", "overrides", "is_set"),
        [
            (ATTACKS, Overrides(), False),
            ("execution: {seed: 1}\n" + ATTACKS, Overrides(), False),
            ("execution: {concurrency: }\n" + ATTACKS, Overrides(), False),
            ("execution: {concurrency: 4}\n" + ATTACKS, Overrides(), True),
            (ATTACKS, Overrides(concurrency=4), True),
        ],
    )
    def test_a_chosen_concurrency_is_told_from_the_default(
        self, make: Make, text: str, overrides: Overrides, is_set: bool
    ) -> None:
        workspace = load_workspace(make({"run.yml": RUN, "security/security.yml": text}), overrides=overrides)
        assert workspace.concurrency_is_set is is_set
        assert workspace.campaign.execution.concurrency == 4


class TestAllProblemsAtOnce:
    def test_of_both_files_and_every_block(self, make: Make) -> None:
        project = make(
            {
                "run.yml": "technology: true\nconnector_params: a\n",
                "security/security.yml": "execution: {atempts: 3, timeout: -1}\n"
                "generation: {temperature: hot}\n"
                "attacks:\n"
                "  - {name: a, rephrase: 2}\n"
                "  - {name: b}\n"
                "  - {execution: {mode: scripted}}\n"
                "  - {name: c, enabled: false}\n",
            }
        )
        workspace = load_workspace(project)
        assert lines(workspace) == [
            'run.yml:1:13: technology: true without quotes is a boolean; quote it to mean the text: "true".',
            "run.yml:2:19: connector_params: pair 1 is not of the form key=value; "
            "where a value holds a comma, write the parameters as a mapping.",
            "security.yml:1:13: execution: unknown key 'atempts'. Did you mean 'attempts'?",
            "security.yml:1:34: execution > timeout: should be more than 0, not -1.",
            "security.yml:2:27: generation > temperature: should be a number, not 'hot'.",
            "security.yml:4:25: attacks[1] (a) > rephrase: should be at most 1, not 2.",
            "security.yml:6:5: attacks[3]: the key 'name' is missing.",
            "security.yml:6:17: attacks[3] > execution: mode scripted needs turns: "
            "at least one message, none of them empty.",
        ]
        assert [(position, entry.name) for position, entry in workspace.entries] == [(1, "b"), (3, "c")]
        assert [entry.name for entry in workspace.campaign.attacks] == ["b", "c"]

    def test_of_two_files_that_cannot_be_parsed(self, make: Make) -> None:
        found = failures(make({"run.yml": "a: [", "security/security.yml": "b: {{c}}"}))
        assert [line.split(":")[0] for line in found] == ["run.yml", "security.yml"]

    def test_of_a_sound_file_beside_one_that_cannot_be_parsed(self, make: Make) -> None:
        found = failures(make({"run.yml": "technology: true", "security/security.yml": "b: {{c}}"}))
        assert [line.split(":")[0] for line in found] == ["run.yml", "security.yml"]

    def test_a_broken_run_yml_does_not_blame_a_guess(self, make: Make) -> None:
        (line,) = failures(make({"run.yml": "a: ["}))
        assert line.startswith("run.yml:")


class TestMissingFiles:
    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        (line,) = failures(tmp_path / "nowhere")
        assert line.startswith("nowhere: this folder does not exist.")
        assert "sensei-kumite-init-project" in line

    def test_a_file_instead_of_the_folder(self, make: Make) -> None:
        (line,) = failures(make({"run.yml": RUN}) / "run.yml")
        assert line.startswith("run.yml: this is a file where a workspace folder belongs.")
        assert "Give the folder that holds run.yml" in line

    @pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "~nobody-of-this-name", "run.yml/deeper"])
    def test_a_folder_that_cannot_be(self, make: Make, name: str) -> None:
        path = Path(name) if name.startswith("~") else make({"run.yml": RUN}) / name
        assert "this folder" in failures(path)[0]

    def test_a_folder_without_run_yml(self, make: Make) -> None:
        (line,) = failures(make({"security/security.yml": ATTACKS}))
        assert "this folder holds no run.yml" in line
        assert "sensei-kumite-init-project" in line

    def test_no_folder_at_all(self) -> None:
        (line,) = failures(None)
        assert "no workspace was named" in line

    @pytest.mark.parametrize("name", ["run.yml", "security/security.yml"])
    def test_a_folder_instead_of_a_file(self, make: Make, name: str) -> None:
        project = make({"run.yml": RUN, "security/security.yml": ATTACKS})
        (project / name).unlink()
        (project / name).mkdir()
        assert "this is a folder where a file belongs" in failures(project)[0]

    def test_a_campaign_that_is_not_where_run_yml_says(self, make: Make) -> None:
        project = make(
            {"run.yml": "security:\n  config: security/securty.yml\n", "security/security.yml": ATTACKS}
        )
        (line,) = failures(project)
        assert line.startswith("run.yml:2:11: security > config: 'security/securty.yml' was not found.")
        assert "Did you mean 'security/security.yml'?" in line

    def test_a_campaign_that_is_nowhere(self, make: Make) -> None:
        (line,) = failures(make({"run.yml": RUN}))
        assert "'security/security.yml' was not found" in line

    @pytest.mark.parametrize(
        "name", ["a\\0b/c.yml", "x" * 5000, "/nowhere/at/all.yml", "~nobody-of-this-name/c.yml"]
    )
    def test_a_campaign_that_cannot_be(self, make: Make, name: str) -> None:
        project = make({"run.yml": f'security: {{config: "{name}"}}', "security/security.yml": ATTACKS})
        (line,) = failures(project)
        assert "was not found" in line

    def test_a_named_campaign_that_is_nowhere(self, make: Make) -> None:
        (line,) = failures(make({"run.yml": RUN}), Path("c.yml"))
        assert "'c.yml' was not found" in line

    @pytest.mark.parametrize("name", ["run.yml", "security/security.yml"])
    def test_a_file_that_is_no_text(self, make: Make, name: str) -> None:
        project = make({"run.yml": RUN, "security/security.yml": ATTACKS})
        (project / name).write_bytes(b"\x89PNG\xff\x00")
        (line,) = failures(project)
        assert line.endswith("this is not UTF-8 text. Save the file with the encoding UTF-8.")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    @pytest.mark.parametrize("name", ["run.yml", "security/security.yml", ""])
    def test_a_file_that_may_not_be_read(self, make: Make, name: str) -> None:
        project = make({"run.yml": RUN, "security/security.yml": ATTACKS})
        (project / name).chmod(0)
        try:
            assert "cannot be read: Permission denied" in failures(project)[0]
        finally:
            (project / name).chmod(0o700)


class TestResolve:
    @pytest.fixture
    def workspace(self, make: Make) -> Workspace:
        names = (
            "security/attacks/a.yml",
            "security/attacks/near.txt",
            "security/near.txt",
            "near.txt",
            "far.txt",
        )
        return load_workspace(
            make({"run.yml": RUN, "security/security.yml": ATTACKS} | dict.fromkeys(names, "x"))
        )

    @pytest.mark.parametrize(
        ("name", "beside", "found"),
        [
            ("attacks/a.yml", None, "security/attacks/a.yml"),
            ("near.txt", None, "security/near.txt"),
            ("near.txt", "security/attacks/a.yml", "security/attacks/near.txt"),
            ("attacks/a.yml", "security/attacks/a.yml", "security/attacks/a.yml"),
            ("far.txt", "security/attacks/a.yml", "far.txt"),
            ("security/near.txt", None, "security/near.txt"),
        ],
    )
    def test_looks_beside_the_file_then_in_security_then_in_the_project(
        self, workspace: Workspace, name: str, beside: str | None, found: str
    ) -> None:
        project = workspace.project
        path = workspace.resolve(name, beside=project / beside if beside else None)
        assert path.relative_to(project).as_posix() == found

    def test_says_where_it_looked(self, workspace: Workspace) -> None:
        with pytest.raises(ConfigurationError) as caught:
            workspace.resolve("none.txt")
        assert str(caught.value).endswith(f"Searched in: {workspace.project}/security, {workspace.project}.")

    def test_looks_beside_a_campaign_that_stands_elsewhere(self, make: Make, tmp_path: Path) -> None:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "c.yml").write_text(ATTACKS)
        (elsewhere / "p.txt").write_text("x")
        workspace = load_workspace(make({"run.yml": RUN}), config=elsewhere / "c.yml")
        assert workspace.resolve("p.txt") == (elsewhere / "p.txt").resolve()


class TestSafe:
    @pytest.fixture
    def project(self, make: Make, tmp_path: Path) -> Path:
        (tmp_path / "secret.yml").write_text("password: hunter2\n  wrong")
        return make({"run.yml": RUN, "security/security.yml": ATTACKS, "security/a.yml": "x"})

    @pytest.mark.parametrize("name", ["../secret.yml", "link.yml", "{outside}/secret.yml", "/etc/hostname"])
    def test_paths_stay_in_the_workspace(self, project: Path, name: str) -> None:
        (project / "security" / "link.yml").symlink_to(project.parent / "secret.yml")
        name = name.format(outside=project.parent)
        workspace = load_workspace(project, safe=True)
        with pytest.raises(ConfigurationError):
            workspace.resolve(name)
        assert workspace.resolve("a.yml").name == "a.yml"

    def test_other_workspaces_may_share_files(self, project: Path) -> None:
        assert load_workspace(project).resolve("../secret.yml").name == "secret.yml"

    @pytest.mark.parametrize("name", ["run.yml", "security/security.yml"])
    def test_the_two_files_cannot_be_links_to_the_outside(self, project: Path, name: str) -> None:
        (project / name).unlink()
        (project / name).symlink_to(project.parent / "secret.yml")
        (line,) = failures(project, safe=True)
        assert "leads out of the workspace" in line
        assert "hunter2" not in line

    def test_run_yml_cannot_name_a_campaign_outside(self, project: Path) -> None:
        (project / "run.yml").write_text("security: {config: ../secret.yml}")
        (line,) = failures(project, safe=True)
        assert "leads out of the workspace" in line
        assert "hunter2" not in line

    def test_the_command_line_can(self, project: Path, tmp_path: Path) -> None:
        (tmp_path / "c.yml").write_text(ATTACKS)
        assert load_workspace(project, config=tmp_path / "c.yml", safe=True).safe is True
