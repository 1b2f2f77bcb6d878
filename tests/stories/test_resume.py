"""Runs that are cut short and go on: every case once, whatever happened in between."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.servers.openai_server import Asked, OpenAIServer
from tests.servers.rasa import RasaServer
from tests.servers.replies import DROP, HANG, Message, Reply, Script
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]
ServeRasa = Callable[[Script], RasaServer]

CASES = [f"c{number}" for number in range(1, 13)]


class Bot:
    """Hangs on one prompt until it is told otherwise."""

    def __init__(self, hangs_on: str) -> None:
        self.hangs_on = hangs_on

    def __call__(self, message: Message) -> str | Reply:
        return HANG if message.text == self.hangs_on else f"answer to {message.text}"


def project_for(
    workspace: Workspace, server: RasaServer, *, lanes: int = 1, extra: str = ""
) -> ProjectFolder:
    listed = ", ".join(f"{{id: {case}, prompt: {case}}}" for case in CASES)
    return workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={server.url}\n",
            "security/security.yml": f"execution: {{concurrency: {lanes}, seed: 3}}\n"
            f"attacks: [{{name: custom_benchmark, source: attacks/a.yml}}]\n{extra}",
            "security/attacks/a.yml": "oracle: {type: keyword_absent, params: {keywords: [secret]}}\n"
            f"cases: [{listed}]\n",
        }
    )


def without_times(documents: list[Any]) -> list[Any]:
    """A suite report without what differs between any two runs."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: cleaned(item)
                for key, item in value.items()
                if "time" not in key and key not in ("serial", "started", "finished")
            }
        return [cleaned(item) for item in value] if isinstance(value, list) else value

    return [cleaned(document) for document in documents]


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("lanes", [1, 4])
def test_a_run_that_was_ended_goes_on_where_it_was(
    workspace: Workspace, serve_rasa: ServeRasa, blow: signal.Signals, lanes: int
) -> None:
    bot = Bot("c8")
    server = serve_rasa(bot)
    project = project_for(workspace, server, lanes=lanes)
    process = project.start()
    server.wait_for(8)
    process.send_signal(blow)
    _, err = process.communicate(timeout=60)
    assert process.returncode == (-9 if blow == signal.SIGKILL else 130), err
    kept = (
        {row["case_id"] for row in project.journal()} if list(project.path.rglob("results.jsonl")) else set()
    )
    if blow != signal.SIGKILL:
        assert "--resume" in err
    bot.hangs_on = ""
    before = len(server.received)
    project.run("--resume").succeeded()
    resent = [message.text for message in server.received[before:]]
    assert sorted(resent) == sorted(set(CASES) - kept)
    assert list(project.statuses()) == CASES
    resumed = without_times(project.suite())
    project.run().succeeded()
    assert without_times(project.suite()) == resumed


def test_a_torn_line_is_a_case_that_runs_again(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    bot = Bot("c5")
    server = serve_rasa(bot)
    project = project_for(workspace, server)
    process = project.start()
    server.wait_for(5)
    process.kill()
    process.communicate()
    (results,) = project.path.rglob("results.jsonl")
    text = results.read_text()
    results.write_text(text[: text.rindex('"case_id"')])
    bot.hangs_on = ""
    project.run("--resume").succeeded()
    assert list(project.statuses()) == CASES
    assert set(project.statuses().values()) == {"resilient"}


def interrupted(project: ProjectFolder, server: RasaServer, after: int) -> None:
    process = project.start()
    server.wait_for(after)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)


def test_a_changed_campaign_is_shown_and_taken_only_by_force(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    bot = Bot("c4")
    server = serve_rasa(bot)
    project = project_for(workspace, server)
    interrupted(project, server, 4)
    bot.hangs_on = ""
    campaign = project.path / "security" / "security.yml"
    campaign.write_text(campaign.read_text().replace("seed: 3", "seed: 3, retries: 0"))
    ran = project.run("--resume").failed(1)
    assert "execution > retries: nothing, now 0" in ran.err and "--force" in ran.err
    project.run("--resume", "--force").succeeded()
    assert list(project.statuses()) == CASES
    assert len(server.received) == len(CASES) + 1


def test_there_has_to_be_something_to_resume(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    project = project_for(workspace, serve_rasa(["hi"]))
    assert "No unfinished run" in project.run("--resume").failed(1).err
    project.run().succeeded()
    assert "No unfinished run" in project.run("--resume").failed(1).err
    serial = project.suite()[0]["serial"]
    assert "finished" in project.run("--resume", serial).failed(1).err
    assert "There is no run" in project.run("--resume", "1999-01-01-00-00-00").failed(1).err


def test_two_processes_never_work_on_one_run(workspace: Workspace, serve_rasa: ServeRasa) -> None:
    bot = Bot("c4")
    server = serve_rasa(bot)
    project = project_for(workspace, server)
    process = project.start()
    server.wait_for(4)
    (results,) = project.path.rglob("results.jsonl")
    assert "Another process" in project.run("--resume", results.parent.name).failed(1).err
    process.kill()
    process.communicate()


def test_prompts_that_were_generated_are_not_paid_for_again(
    workspace: Workspace, serve_rasa: ServeRasa, serve_openai: Callable[..., OpenAIServer]
) -> None:
    bot = Bot("hang here")
    rasa = serve_rasa(bot)
    turn = threading.Lock()

    def write(asked: Asked) -> str:
        with turn:
            return f"Who was the first president, asks number {len(models.asked)}?"

    models = serve_openai(write)
    project = workspace(
        {
            "run.yml": f"technology: rasa\nconnector_params: base_url={rasa.url}\n",
            "security/security.yml": f"""
                execution: {{attempts: 6, concurrency: 1}}
                generation: {{base_url: '{models.base_url}'}}
                attacks: [{{name: dan_jailbreak}}]
            """,
        }
    )
    key = {"OPENAI_API_KEY": "sk-0123456789"}
    project.run(env=key).succeeded()
    (plan,) = project.path.rglob("plan.jsonl")
    (results,) = project.path.rglob("results.jsonl")
    assert len(models.asked) == 6
    whole = without_times(project.suite())
    results.write_text("".join(results.read_text().splitlines(keepends=True)[:2]))
    state = plan.parent / "run.json"
    state.write_text(state.read_text().replace('"finished": true', '"finished": false'))
    project.run("--resume", env=key).succeeded()
    assert len(models.asked) == 6
    assert without_times(project.suite()) == whole
    assert len(rasa.received) == 6 + 4


def test_a_target_that_is_back_after_the_pause_gets_the_rest(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    server = serve_rasa(lambda message: "fine" if message.text in ("c1", "c2") else DROP)
    project = project_for(workspace, server)
    campaign = project.path / "security" / "security.yml"
    campaign.write_text(campaign.read_text().replace("seed: 3", "seed: 3, retries: 0"))
    process = project.start()
    _, err = process.communicate(timeout=110)
    # Ten failures and the pause of half a minute; the port answers the probe, so the campaign goes on.
    assert process.returncode == 0, err
    assert list(project.statuses().values()) == ["resilient"] * 2 + ["error"] * 10


def test_a_forced_resumption_that_is_killed_itself_loses_nothing(
    workspace: Workspace, serve_rasa: ServeRasa
) -> None:
    bot = Bot("c4")
    server = serve_rasa(bot)
    project = project_for(workspace, server)
    interrupted(project, server, 4)
    bot.hangs_on = ""
    attacks = project.path / "security" / "attacks" / "a.yml"
    attacks.write_text(attacks.read_text().replace("}]\n", "}, {id: new, prompt: new}]\n"))
    campaign = project.path / "security" / "security.yml"
    campaign.write_text(campaign.read_text().replace("seed: 3", "seed: 4"))
    (folder,) = [path.parent for path in project.path.rglob("run.json")]
    # What a kill leaves behind right after the old plan was given up.
    (folder / "replanned").touch()
    (folder / "plan.jsonl").unlink()
    project.run("--resume", "--force").succeeded()
    assert list(project.statuses()) == [*CASES, "new"]
    sent = [message.text for message in server.received]
    assert {text: sent.count(text) for text in ("new", "c1", "c3", "c5")} == dict.fromkeys(
        ("new", "c1", "c3", "c5"), 1
    )
    assert not (folder / "replanned").exists()
