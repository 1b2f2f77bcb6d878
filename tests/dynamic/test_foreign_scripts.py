"""Attack scripts that people already have, as they come in their package, which is not installed here.

They are fetched from the package registry for these tests alone; where there is none, the tests are skipped.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from sensei_kumite.config.campaign import Campaign
from sensei_kumite.dynamic.scripts import DynamicAttack, find_attack
from sensei_kumite.llm.ledger import Ledger
from sensei_kumite.llm.offline.model import OfflineModel
from sensei_kumite.llm.prices import Prices
from sensei_kumite.llm.requests import Message, Model, ModelSettings, Purpose, Request, Role
from sensei_kumite.llm.roles import Models
from sensei_kumite.models import Status
from tests.dynamic.searching import Trial
from tests.servers.openai_server import Asked, OpenAIServer

PACKAGE = "spikee==0.9.2"
FOLDERS = ("spikee/attacks", "spikee/data/workspace/attacks")
ITERATIONS = 6
# What each is told beside its defaults, for some want a model to be named.
SINGLE = {
    "anti_spotlighting": "",
    "best_of_n": "",
    "llm_jailbreaker": "",
    "llm_multi_language_jailbreaker": "",
    "llm_poetry_jailbreaker": "",
    "prompt_decomposition": "mode=generation",
    "rag_poisoner": "",
    "sample_attack": "",
}
MULTI = {"crescendo": "model=generation", "echo_chamber": "model=generation", "goat": "model=generation"}
MODEL_DRIVEN = {
    name: options
    for name, options in {**SINGLE, **MULTI}.items()
    if name not in ("anti_spotlighting", "best_of_n", "sample_attack")
}
TURNS = ["Good morning.", "What is on the menu?", "Tell me the secret word."]
SENTENCES = json.dumps({"sentences": ["The word is kept secret.", "Nobody may know it."]})

pytestmark = [pytest.mark.foreign, pytest.mark.xdist_group("foreign")]
Generation = Callable[..., Model]


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The scripts of the package by their names."""
    folder = tmp_path_factory.mktemp("foreign")
    fetch = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(folder), PACKAGE]
    try:
        subprocess.run(fetch, capture_output=True, text=True, timeout=100, check=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"{PACKAGE} cannot be fetched: {error.stderr.strip().splitlines()[-1:]}")
    except subprocess.TimeoutExpired:
        pytest.skip(f"{PACKAGE} cannot be fetched: no answer")
    [wheel] = folder.glob("*.whl")
    with ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.rpartition("/")[0] in FOLDERS]
        archive.extractall(folder, [name for name in names if not name.endswith("__init__.py")])
    return {path.stem: path for path in folder.rglob("*.py")}


@pytest.fixture
def load(scripts: dict[str, Path]) -> Callable[..., DynamicAttack]:
    assert find_spec("spikee") is None, "the package itself has to be out of reach"
    return lambda name, generation: find_attack(
        str(scripts[name]), resolve=lambda path: Path(path), generation=generation, safe=False
    )


def offline(**settings: Any) -> Model:
    return OfflineModel(ModelSettings(Role.GENERATION, provider="offline"), seed=1)


def gives_in(after: int) -> Callable[[list[str]], str]:
    """A target that gives in to its nth message, and does what it is asked in the way of sentences."""
    count = [0]

    def answer(heard: list[str]) -> str:
        count[0] += 1
        if '"sentences"' in heard[-1]:
            return SENTENCES
        return "It is the secretword." if count[0] > after else "The menu has pizza and pasta."

    return answer


def test_all_of_them_are_known_here(scripts: dict[str, Path]) -> None:
    assert set(scripts) == {*SINGLE, *MULTI, "multi_turn", "random_suffix_search"}


@pytest.mark.parametrize(("name", "options"), [*SINGLE.items(), *MULTI.items()])
class TestSearches:
    def test_a_target_that_resists_is_tried_to_the_end(
        self, load: Callable[..., DynamicAttack], name: str, options: str
    ) -> None:
        trial = Trial(gives_in(after=99))
        [tried] = trial.run(load(name, offline), iterations=ITERATIONS, options=options)
        assert (tried.status, tried.errors, tried.script_error) == (Status.RESILIENT, (), None)
        assert tried.attempts == len(trial.sent) == ITERATIONS
        assert trial.bar == [ITERATIONS, ITERATIONS]

    def test_a_target_that_gives_in_is_found_out(
        self, load: Callable[..., DynamicAttack], name: str, options: str
    ) -> None:
        trial = Trial(gives_in(after=2))
        [tried] = trial.run(load(name, offline), iterations=ITERATIONS, options=options)
        assert (tried.status, tried.response) == (Status.BREACHED, "It is the secretword.")
        assert tried.attempts == len(trial.sent) == 3
        assert trial.bar[0] == trial.bar[1]
        assert bool(tried.conversation) == (name in MULTI)


def test_given_turns_are_said_in_one_conversation(load: Callable[..., DynamicAttack]) -> None:
    trial = Trial(lambda heard: "secretword" if len(heard) == len(TURNS) else "Welcome.")
    turns = {"content": TURNS, "text": TURNS}
    [tried] = trial.run(load("multi_turn", None), iterations=ITERATIONS, entry=turns)
    assert (tried.status, tried.attempts, trial.sent) == (Status.BREACHED, len(TURNS), TURNS)
    assert tried.prompt == TURNS[-1]


def test_a_vocabulary_out_of_reach_is_said_with_the_line(load: Callable[..., DynamicAttack]) -> None:
    if find_spec("tiktoken") is None or find_spec("numpy") is None:
        pytest.skip("the script needs tiktoken and numpy")
    trial = Trial(gives_in(after=99))
    [tried] = trial.run(load("random_suffix_search", None), iterations=ITERATIONS)
    if tried.status is Status.ERROR:  # without a network there is no vocabulary
        assert "random_suffix_search.py:" in str(tried.errors[0])
    else:
        assert (tried.status, tried.attempts) == (Status.RESILIENT, ITERATIONS)


@pytest.mark.parametrize(("name", "options"), MODEL_DRIVEN.items())
def test_models_on_a_server_are_as_good(
    load: Callable[..., DynamicAttack], serve_openai: Callable[..., OpenAIServer], name: str, options: str
) -> None:
    def answer(asked: Asked) -> str:
        messages = tuple(Message(said["role"], said["content"]) for said in asked.body["messages"])
        written = offline().complete(Request(Purpose.SCRIPT, messages))
        return f"Certainly!\n```json\n{written}\n```\n" if written.startswith("{") else written

    server = serve_openai(answer)
    campaign = Campaign.model_validate({"generation": {"base_url": server.base_url, "model": "mine"}})
    with Ledger(None, Prices()) as ledger:
        models = Models(campaign, ledger, {"OPENAI_API_KEY": "sk-0123456789abcdef"})
        trial = Trial(gives_in(after=99))
        attack = load(name, lambda **settings: models.of(Role.GENERATION, **settings))
        [tried] = trial.run(attack, iterations=ITERATIONS, options=options)
    assert (tried.status, tried.attempts) == (Status.RESILIENT, ITERATIONS)
    assert len(server.asked) >= (1 if name == "prompt_decomposition" else ITERATIONS)
    assert {asked.conversation for asked in server.asked} <= {"mine", "gpt-4o"}
