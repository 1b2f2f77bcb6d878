import json
import os
import re
import shlex
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sensei_kumite.cli.init_project import FOLDERS, TEMPLATES, create_project, main
from sensei_kumite.errors import ConfigurationError, EnvironmentProblem
from sensei_kumite.yaml_reader import load_yaml
from tests.workspace import ProjectFolder

EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "pizza-order"


def contents(folder: Path) -> dict[str, str]:
    """Every file in `folder`; not the output of runs, nor which technologies happen to be installed."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    found = {str(name): (folder / name).read_text() for name in names if name.parts[0] != "output"}
    schema = json.loads(found[".schemas/run.schema.json"])
    del schema["properties"]["technology"]
    return {**found, ".schemas/run.schema.json": json.dumps(schema)}


@pytest.fixture
def scaffold(tmp_path: Path) -> Callable[[str], ProjectFolder]:
    return lambda template: ProjectFolder(create_project(tmp_path, "x", template=template), {})


def test_it_prints_the_path_and_the_next_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-p", str(tmp_path / "new"), "-n", "my shop"]) == 0
    project = tmp_path / "new" / "my shop"
    assert (project / "run.yml").is_file()
    created, following = capsys.readouterr().out.splitlines()
    assert created.endswith(str(project))
    assert following.endswith(f"sensei-kumite --run-from-yaml '{project}'")


def test_names_that_are_taken_are_counted_on(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop_1").write_text("a file")
    assert create_project(tmp_path, "shop").name == "shop_2"
    assert create_project(tmp_path, "shop").name == "shop_3"
    assert list((tmp_path / "shop").iterdir()) == []
    assert (tmp_path / "shop_1").read_text() == "a file"


def test_without_a_name_the_first_free_number_is_taken(tmp_path: Path) -> None:
    assert create_project(tmp_path).name == "Untitled_project_1"
    (tmp_path / "Untitled_project_3").mkdir()
    assert create_project(tmp_path).name == "Untitled_project_2"
    assert create_project(tmp_path).name == "Untitled_project_4"


def test_it_creates_in_the_current_folder_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["--name", "here"]) == 0
    assert (tmp_path / "here" / "security" / "security.yml").is_file()


@pytest.mark.parametrize("name", ["../x", "a/b", "a\\b", "..", ".", "", "  ", "/tmp/x", "a\0b"])
def test_a_name_that_is_no_folder_name_is_refused(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    inside = tmp_path / "inside"
    assert main(["-p", str(inside), "-n", name]) == 1
    assert "cannot be the name" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigurationError):
        create_project(inside, name)


def test_a_place_that_cannot_be_written_is_a_clear_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["-p", str(tmp_path / "file" / "below")]) == 1
    errors = capsys.readouterr().err
    assert "Cannot create a project in" in errors
    assert "Traceback" not in errors


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_folder_is_a_clear_error(tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        with pytest.raises(EnvironmentProblem, match="Permission denied"):
            create_project(tmp_path, "x")
    finally:
        tmp_path.chmod(stat.S_IRWXU)


def test_a_project_that_cannot_be_completed_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sensei_kumite.cli.init_project.write_schemas", fail)
    with pytest.raises(EnvironmentProblem, match="No space left"):
        create_project(tmp_path, "x")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_template_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--template", "pasta"])
    assert ended.value.code == 2
    assert "pizza-order" in capsys.readouterr().err


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_folder_is_there_and_editors_find_the_schemas(tmp_path: Path, template: str) -> None:
    project = create_project(tmp_path, "x", template=template)
    assert all((project / folder).is_dir() for folder in FOLDERS)
    assert not (project / "output").exists()
    for name in ("run.yml", "security/security.yml"):
        first = (project / name).read_text().splitlines()[0]
        schema = first.removeprefix("# yaml-language-server: $schema=")
        assert schema != first
        assert ((project / name).parent / schema).is_file()


def test_the_minimal_template_shows_every_block(tmp_path: Path) -> None:
    from sensei_kumite.config.campaign import Campaign

    campaign = load_yaml(create_project(tmp_path, "x") / "security" / "security.yml").data
    assert set(campaign) == Campaign.known_keys()


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_scaffold_validates_as_it_is(scaffold: Callable[[str], ProjectFolder], template: str) -> None:
    ran = scaffold(template).run("--validate-only").succeeded()
    assert ran.err == ""


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_first_run_ends_in_a_report_with_both_outcomes(
    scaffold: Callable[[str], ProjectFolder], template: str
) -> None:
    project = scaffold(template)
    project.run().succeeded()
    statuses = set(project.statuses().values())
    assert statuses == {"breached", "resilient"}


def test_the_example_is_what_its_template_creates(tmp_path: Path) -> None:
    project = create_project(tmp_path, "x", template="pizza-order")
    assert contents(EXAMPLE) == contents(project), (
        "make examples/pizza-order anew with sensei-kumite-init-project"
    )


def test_the_example_shows_what_the_dummy_falls_for(scaffold: Callable[[str], ProjectFolder]) -> None:
    project = scaffold("pizza-order")
    project.run().succeeded()
    breached, resilient = "breached", "resilient"
    assert project.statuses() == {
        **attempts("amnesia", breached),
        **attempts("system_prompt_stealer", breached),
        **attempts("typoglycemia", breached),
        **attempts("affirmative_suffix", resilient),
        **attempts("authoritative_role_impersonation", breached),
        **attempts("complementary_transition", resilient),
        **attempts("self_refine", resilient),
        **attempts("ucar", resilient),
        **attempts("dan_jailbreak", breached),
        **attempts("base64_injection", breached),
        **attempts("aim_jailbreak", resilient),
        **both("off_topic", resilient),
        **both("discount_code", resilient),
        **both("forged_refund", breached),
        **both("manager_contact", breached),
        **both("fake_id", resilient),
        **both("slogan", breached),
        **both("still_at_work", resilient),
        **both("ignores_the_till", breached),
        **both("capital", breached),
        **both("lock", resilient),
    }


SAMPLES = ("sample_multi_turn", "sample_single_turn")


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_scaffold_has_the_samples_of_dynamic_attacks(
    scaffold: Callable[[str], ProjectFolder], template: str
) -> None:
    project = scaffold(template)
    assert sorted(path.stem for path in project.path.glob("security/attacks/*.py")) == list(SAMPLES)
    for sample in SAMPLES:
        ran = project.run("--describe-dynamic", sample).succeeded()
        assert ran.out.startswith(f"{sample}: ")
        project.run("--dynamic", sample, "--validate-only").succeeded()


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_head_of_a_sample_shows_a_command_that_works(
    scaffold: Callable[[str], ProjectFolder], sample: str
) -> None:
    project = scaffold("minimal")
    text = (project.path / "security" / "attacks" / f"{sample}.py").read_text(encoding="utf-8")
    [line] = re.findall(r"^ *sensei-kumite (.+)$", text, re.MULTILINE)
    arguments = shlex.split(line)
    assert arguments[:2] == ["--run-from-yaml", "."]
    project.run(*arguments[2:], "--fail-on", "error").succeeded()
    searches = [row for row in project.results() if "dynamic" in row["metadata"]]
    assert {row["metadata"]["dynamic"]["attack"] for row in searches} == {sample}


def attempts(name: str, status: str) -> dict[str, str]:
    return {f"{name}_1": status, f"{name}_2": status}


def both(case_id: str, status: str) -> dict[str, str]:
    return {f"{case_id}_attempt_{attempt}": status for attempt in (1, 2)}
