"""What people type wrong on the command line, and what stands in the way of a run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from sensei_kumite.cli import init_project
from sensei_kumite.cli.main import main
from tests.servers.rasa import RasaServer
from tests.servers.replies import Script

CAMPAIGN = """\
attacks:
- name: amnesia
- {name: typoglycemia_attack, enabled: false}
- {name: custom_benchmark, source: attacks/shop.yml}
"""
SHOP = "name: shop talk\noracle: {type: refusal_detection}\ncases: [{prompt: hello}]\n"
HERE = ["--run-from-yaml", "w"]
ServeRasa = Callable[[Script], RasaServer]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve_rasa: ServeRasa) -> Path:
    """The workspace `w`, which would run, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w" / "security" / "attacks").mkdir(parents=True)
    url = serve_rasa(["roboducksavetheworld"]).url
    (tmp_path / "w" / "run.yml").write_text(f"technology: rasa\nconnector_params: base_url={url}\n")
    (tmp_path / "w" / "security" / "security.yml").write_text(CAMPAIGN)
    (tmp_path / "w" / "security" / "attacks" / "shop.yml").write_text(SHOP)
    return tmp_path / "w"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit code and what was said on stderr; a refusal prints no result and writes nothing."""
    before = sorted(Path().rglob("*"))
    try:
        code = main(list(arguments))
    except SystemExit as end:
        code = int(end.code or 0)
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    if code in (1, 2):
        assert out == ""
        assert sorted(Path().rglob("*")) == before
    return code, err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "--run-from-yaml"),
        (["w"], "unrecognized arguments: w"),
        ([*HERE, "--validate"], "unrecognized arguments: --validate"),
        ([*HERE, "--concurrency", "0"], "--concurrency: should be a whole number from 1 to 10000, not '0'"),
        ([*HERE, "--concurrency", "four"], "'four'"),
        ([*HERE, "--concurrency", "1.5"], "'1.5'"),
        ([*HERE, "--seed", "lucky"], "--seed: should be a whole number, not 'lucky'"),
        ([*HERE, "--max-asr", "10%"], "'10%'"),
        ([*HERE, "--max-asr", "1.01"], "--max-asr: should be a number from 0 to 1, not '1.01'"),
        ([*HERE, "--max-asr", "nan"], "not 'nan'"),
        ([*HERE, "--fail-on", "breaches"], "'breach', 'error', 'any', 'none'"),
        ([*HERE, "--attack", " , "], "--attack: give at least one name"),
        ([*HERE, "-q", "-v"], "not allowed with"),
        ([*HERE, "--validate-only", "--dry-run"], "exclude each other"),
        (["--config", "w/security/security.yml"], "--project-path DIR"),
        (["--project-path", "w"], "--config FILE"),
        ([*HERE, "--describe-attack"], "expected one argument"),
        (["--describe-custom-attacks"], "--describe-custom-attacks: give --run-from-yaml"),
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    code, err = run(capsys, *arguments)
    assert code == 2
    assert says in err.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--run-from-yaml", "x"], ["x: this folder does not exist", "sensei-kumite-init-project"]),
        (["--run-from-yaml", "w/run.yml"], ["w/run.yml: this is a file", "folder that holds run.yml"]),
        ([*HERE, "--config", "no.yml"], ["'no.yml' was not found", "Searched in: the current folder, w"]),
        ([*HERE, "--config", "w/security"], ["w/security: this is a folder"]),
        (["--config", "w/run.yml", "--project-path", "x"], ["x: this folder does not exist"]),
        ([*HERE, "--attack", "amnesai"], ["--attack amnesai", "Did you mean 'amnesia'?"]),
        ([*HERE, "--attack", "amnesia,typoglycemia_attack"], ["--attack typoglycemia_attack: no enabled"]),
        (["--describe-attack", "amnesai"], ["Unknown attack 'amnesai'", "'amnesia'?", "custom_benchmark"]),
        (["--describe-oracle", "keywords"], ["Unknown oracle 'keywords'", "regex_match"]),
        (["--describe-oracle", ""], ["Unknown oracle ''"]),
        ([*HERE, "--describe-custom-attacks", "shop"], ["'shop'", "'shop talk'?"]),
        (["--write-schemas", "w/run.yml"], ["w/run.yml"]),
    ],
    ids=lambda value: " ".join(value),
)
def test_what_is_not_there_ends_with_1(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: list[str]
) -> None:
    code, err = run(capsys, *arguments)
    assert code == 1
    (line,) = err.splitlines()
    assert [part for part in says if part not in line] == []


@pytest.mark.parametrize("arguments", [[], ["--dry-run"]], ids=["run", "dry run"])
@pytest.mark.parametrize(
    "taken", ["output", "output/security_reports", "output/security_reports/security_suite"]
)
def test_a_file_in_the_way_of_the_output_is_found_before_anything_is_sent(
    folder: Path, capsys: pytest.CaptureFixture[str], taken: str, arguments: list[str]
) -> None:
    (folder / taken).parent.mkdir(parents=True, exist_ok=True)
    (folder / taken).write_text("a file")
    code, err = run(capsys, *HERE, *arguments)
    assert code == 1
    assert str(folder / "output") in err
    assert "Not a directory" in err or "file" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_without_permission_is_found_before_anything_is_sent(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.chmod(0o500)
    try:
        code, err = run(capsys, *HERE)
    finally:
        folder.chmod(0o700)
    assert code == 1
    assert str(folder / "output") in err
    assert "ermission denied" in err


@pytest.mark.parametrize("name", ["../../etc/hosts.yml", "../outside.yml", "attacks/link.yml"])
def test_safe_follows_no_path_out_of_the_workspace(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (folder.parent / "outside.yml").write_text(SHOP)
    (folder / "security" / "attacks" / "link.yml").symlink_to(folder.parent / "outside.yml")
    campaign = CAMPAIGN.replace("attacks/shop.yml", name)
    (folder / "security" / "security.yml").write_text(campaign)
    code, err = run(capsys, *HERE, "--safe", "--validate-only")
    assert code == 1
    (line,) = err.splitlines()
    assert line.startswith("w/security/security.yml:4:")
    assert "leads out of the workspace" in line or "was not found" in line


def test_safe_reads_no_campaign_outside_of_the_workspace(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder.parent / "outside.yml").write_text(CAMPAIGN)
    with (folder / "run.yml").open("a") as run_file:
        run_file.write("security:\n  config: ../outside.yml\n")
    code, err = run(capsys, *HERE, "--safe", "--validate-only")
    assert code == 1
    assert err.startswith("w/run.yml:4:11: ")
    assert "leads out of the workspace" in err


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--name", "../x"], 1, "--path"),
        (["--name", ""], 1, "''"),
        (["--name", "x", "--path", "w/run.yml"], 1, "w/run.yml"),
        (["--template", "pizza"], 2, "'minimal', 'pizza-order'"),
        (["x"], 2, "unrecognized arguments: x"),
    ],
)
def test_a_workspace_that_cannot_be_made(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    before = sorted(Path().rglob("*"))
    try:
        ended = init_project.main(arguments)
    except SystemExit as end:
        ended = int(end.code or 0)
    out, err = capsys.readouterr()
    assert (ended, out) == (code, "")
    assert says in err.splitlines()[-1]
    assert "Traceback" not in err
    assert sorted(Path().rglob("*")) == before
