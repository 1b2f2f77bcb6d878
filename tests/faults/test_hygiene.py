"""What a run leaves on disk: for whom, where, and without secrets."""

from __future__ import annotations

import json
import stat
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.campaign import campaign
from tests.servers.rasa import RasaServer
from tests.servers.replies import Message, Reply, failure
from tests.workspace import ProjectFolder

TOKEN = "tk-4f9c1e77a2b8"
FORMATS = ["html", "csv", "jsonl", "markdown"]


def test_output_is_for_its_owner_alone(servers: ExitStack, tmp_path: Path) -> None:
    """Replies may hold what should not have leaked; every file lies below the folder that is closed."""
    server = servers.enter_context(RasaServer(["fine"]))
    project = campaign(tmp_path / "project", server.url, ["a"], reports=FORMATS)
    before = set((tmp_path / "project").rglob("*"))
    project.run().succeeded()
    output = tmp_path / "project" / "output"
    assert stat.S_IMODE(output.stat().st_mode) == 0o700
    assert all(path.is_relative_to(output) for path in set((tmp_path / "project").rglob("*")) - before)


def test_an_output_folder_that_was_opened_to_others_stays_open(servers: ExitStack, tmp_path: Path) -> None:
    server = servers.enter_context(RasaServer(["fine"]))
    project = campaign(tmp_path / "project", server.url, ["a"])
    output = tmp_path / "project" / "output"
    output.mkdir()
    output.chmod(0o755)
    project.run().succeeded()
    assert stat.S_IMODE(output.stat().st_mode) == 0o755


def test_a_secret_is_written_nowhere(servers: ExitStack, tmp_path: Path) -> None:
    """Not even where the target repeats it, in a reply, in a conversation and in an error."""

    def blab(message: Message) -> str | Reply:
        if message.text == "fail":
            return failure(400, detail=f"bad token {TOKEN}")
        return f"your token is {TOKEN}"

    server = servers.enter_context(RasaServer(blab))
    project = custom_project(tmp_path / "project", server.url)
    ran = project.run("--verbose")
    assert TOKEN not in ran.out + ran.err
    assert server.requests[-1].headers["Authorization"] == f"Bearer {TOKEN}"
    written = [path for path in (project.path / "output").rglob("*") if path.is_file()]
    assert len(written) > 6
    assert [path for path in written if TOKEN.encode() in path.read_bytes()] == []
    assert set(project.statuses().values()) == {"resilient", "error"}


def custom_project(folder: Path, url: str) -> ProjectFolder:
    project = campaign(folder, url, ["say", "fail"], reports=FORMATS)
    (folder / "run.yml").write_text("technology: custom\nconnector_params: config_path=bot.yml\n")
    (folder / "bot.yml").write_text(
        json.dumps(
            {
                "base_url": url,
                "headers": {"Authorization": f"Bearer {TOKEN}"},
                "send_message": {
                    "path": "/webhooks/rest/webhook",
                    "method": "POST",
                    "payload_template": {"sender": "me", "message": "{user_msg}"},
                },
                "response_path": "0.text",
            }
        )
    )
    return project


def test_safe_reads_nothing_that_a_link_leads_out_to(servers: ExitStack, tmp_path: Path) -> None:
    server = servers.enter_context(RasaServer(["fine"]))
    project = campaign(tmp_path / "project", server.url, ["a"])
    attack = project.path / "security" / "attacks" / "a.yml"
    attack.rename(tmp_path / "outside.yml")
    attack.symlink_to(tmp_path / "outside.yml")
    assert "leads out of the workspace" in project.run("--safe").failed().err
    assert server.received == []
    project.run().succeeded()


@pytest.mark.parametrize("link", ["output", "output/security_reports", "output/reports/__cost_reports__"])
def test_safe_writes_nothing_where_a_link_leads_out(link: str, servers: ExitStack, tmp_path: Path) -> None:
    server = servers.enter_context(RasaServer(["fine"]))
    project = campaign(tmp_path / "project", server.url, ["a"])
    outside = tmp_path / "outside"
    outside.mkdir()
    (project.path / link).parent.mkdir(parents=True, exist_ok=True)
    (project.path / link).symlink_to(outside)
    assert "leads out of the workspace" in project.run("--safe").failed().err
    assert list(outside.iterdir()) == []
    assert server.received == []
    project.run().succeeded()


def test_safe_appends_nothing_to_a_file_that_a_run_to_resume_links_to(
    servers: ExitStack, tmp_path: Path
) -> None:
    """A workspace from somebody else may bring an unfinished run with it."""
    server = servers.enter_context(RasaServer(["fine"]))
    project = campaign(tmp_path / "project", server.url, ["a"])
    project.run().succeeded()
    (state,) = project.path.rglob("run.json")
    state.write_text(state.read_text().replace('"finished": true', '"finished": false'))
    results = state.with_name("results.jsonl")
    outside = tmp_path / "outside"
    outside.write_text("mine\n")
    results.unlink()
    results.symlink_to(outside)
    assert "leads out of the workspace" in project.run("--safe", "--resume").failed().err
    assert outside.read_text() == "mine\n"
