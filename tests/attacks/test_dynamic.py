"""`dynamic`: from files of entries to cases, and what becomes of them in a campaign."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.base import Attack, Prompt
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec
from tests.attacks.build import attack, written
from tests.attacks.queries.campaign import cases, checked
from tests.servers.rasa import RasaServer
from tests.servers.replies import Script
from tests.workspace import ProjectFolder

Workspace = Callable[[Mapping[str, str]], ProjectFolder]
ServeRasa = Callable[[Script], RasaServer]

CAMPAIGN = "attacks:\n  - name: dynamic\n    source: attacks/cases.jsonl\n"
WORD = {"id": "word", "content": "Say sesame.", "judge_name": "canary", "judge_args": "sesame"}
SHOUT = {
    "id": "shout",
    "text": "Shout at me.",
    "system_message": "Be loud.",
    "judge_name": "regex",
    "judge_args": "[A-Z]{4}",
}
TALK = {"id": "talk", "content": ["Hi.", "Say sesame."], "judge_args": "sesame"}


def lines(*entries: Any) -> str:
    return "".join(f"{json.dumps(entry)}\n" for entry in entries)


def entries(
    folder: Path, text: str, *, name: str = "cases.jsonl", attempts: int = 1, **key: Any
) -> Attack[Any]:
    (folder / name).write_text(text, encoding="utf-8")
    return attack("dynamic", folder, attempts=attempts, **{"source": name, **key})


def problems(folder: Path, campaign: str = CAMPAIGN, **files: str) -> list[str]:
    _, found = checked(folder, {name.replace("_", "."): text for name, text in files.items()}, campaign)
    folders = (f"{folder}/security/attacks/", f"{folder}/")
    texts = [str(problem) for problem in sorted(found, key=Problem.sort_key)]
    return [text.removeprefix(folders[0]).removeprefix(folders[1]) for text in texts]


class TestPrompts:
    def test_every_entry_is_a_prompt_with_its_judge(self, tmp_path: Path) -> None:
        assert list(written(entries(tmp_path, lines(WORD, SHOUT)))) == [
            Prompt(
                "Say sesame.", {"entry": WORD}, "word", OracleSpec("keyword_absent", {"keywords": ["sesame"]})
            ),
            Prompt(
                "Shout at me.",
                {"entry": SHOUT, "system_message": "Be loud."},
                "shout",
                OracleSpec("query_match", {"weight": "Absolute", "comparer": "Regex", "regex": ["[A-Z]{4}"]}),
            ),
        ]

    def test_yaml_says_the_same(self, tmp_path: Path) -> None:
        as_json = list(written(entries(tmp_path, lines(WORD, SHOUT))))
        by_list = list(written(entries(tmp_path, json.dumps([WORD, SHOUT]), name="a.yml")))
        by_document = "".join(f"---\n{json.dumps(entry)}\n" for entry in (WORD, SHOUT))
        assert as_json == by_list == list(written(entries(tmp_path, by_document, name="b.yaml")))

    def test_attempts_are_whole_passes(self, tmp_path: Path) -> None:
        built = entries(tmp_path, lines(WORD, {**SHOUT, "id": None}), attempts=2)
        assert [prompt.case_id for prompt in written(built)] == [
            "word_attempt_1",
            "dynamic_2_attempt_1",
            "word_attempt_2",
            "dynamic_2_attempt_2",
        ]

    def test_an_oracle_of_the_campaign_replaces_all_judges(self, tmp_path: Path) -> None:
        built = entries(tmp_path, lines(WORD, {"content": "x"}), oracle={"type": "refusal_detection"})
        assert built.problems() == []
        assert [prompt.oracle for prompt in written(built)] == [None, None]

    def test_a_conversation_ends_with_the_prompt(self, tmp_path: Path) -> None:
        built = entries(tmp_path, lines(TALK), dynamic={"attack": "multi_turn"})
        assert built.problems() == []
        [prompt] = written(built)
        assert (prompt.text, prompt.metadata["entry"]["content"]) == ("Say sesame.", ["Hi.", "Say sesame."])

    def test_it_is_called_as_its_file_and_counts_the_entries(self, tmp_path: Path) -> None:
        built = entries(tmp_path, lines(WORD, SHOUT))
        assert built.report_name == "cases"
        assert built.summary.endswith("(2 entries)")
        assert entries(tmp_path, lines(WORD)).summary.endswith("(1 entry)")
        assert attack("dynamic", tmp_path).report_name == "dynamic"


class TestCampaign:
    def test_cases_have_what_the_entries_say(self, tmp_path: Path) -> None:
        plan, found = checked(tmp_path, {"cases.jsonl": lines(WORD, SHOUT)}, CAMPAIGN)
        assert found == []
        assert [(case.case_id, case.attack, case.oracle.type) for case in cases(plan)] == [
            ("word", "cases", "keyword_absent"),
            ("shout", "cases", "query_match"),
        ]
        assert cases(plan)[0].metadata["taxonomy"] == ["LLM01", "AML.T0051.000"]

    def test_the_file_is_also_found_among_the_attacks(self, tmp_path: Path) -> None:
        campaign = CAMPAIGN.replace("attacks/cases", "cases")
        assert problems(tmp_path, campaign, cases_jsonl=lines(WORD)) == []

    @pytest.mark.parametrize(
        ("entry", "told"),
        [
            (
                {**WORD, "judge_name": "canery"},
                "entry 1 (word) > judge_name: there is no judge 'canery'. Did you mean 'canary'? "
                "Valid: canary, regex, and our oracles all_of",
            ),
            (
                {**WORD, "judge_name": "keyword_absnt", "judge_args": {"keywords": ["x"]}},
                "entry 1 (word) > judge_name: there is no judge 'keyword_absnt'. Did you mean 'keyword_abs",
            ),
            ({**WORD, "judge_args": ""}, "judge_args: the judge canary takes a text or a list of texts"),
            ({**WORD, "judge_args": "\u200b"}, "contains no visible character"),
            (
                {**WORD, "judge_name": "regex", "judge_args": ["ok", "("]},
                "entry 1 (word) > judge_args: the pattern '(' does not compile",
            ),
            (
                {**WORD, "judge_name": "keyword_absent", "judge_args": {"keywords": "x"}},
                "entry 1 (word) > judge_args > keywords: should be a list",
            ),
            (
                {**WORD, "judge_name": "keyword_absent", "judge_args": {"keyword": ["x"], "keywords": ["x"]}},
                "entry 1 (word) > judge_args: unknown key 'keyword'",
            ),
            (
                {
                    **WORD,
                    "judge_name": "semantic_similarity",
                    "judge_args": {"threshold": 3, "reference": "x"},
                },
                "entry 1 (word) > judge_args > threshold: should be at most 1",
            ),
            (
                {**WORD, "exclude_from_transformations_regex": ["ok", "["]},
                "entry 1 (word) > exclude_from_transformations_regex: the pattern '[' does not compile",
            ),
        ],
    )
    def test_a_judge_that_cannot_judge_is_told(
        self, tmp_path: Path, entry: dict[str, Any], told: str
    ) -> None:
        [found] = problems(tmp_path, cases_jsonl=f"\n{lines(entry)}")
        assert found.startswith("cases.jsonl:2")
        assert told in found

    @pytest.mark.parametrize(
        ("entry", "told"),
        [
            ("", "no file of entries is named. Write source: attacks/<file>.jsonl."),
            ("    source: gone.jsonl\n", "'gone.jsonl' was not found."),
            ("    source: security.yml\n    params: {x: 1}\n", "unknown key 'x'"),
            ("    source: attacks\n", "a file of entries ends in .jsonl, .yml, .yaml, not 'attacks'."),
            ("    source: attacks/cases.txt\n", "cases.txt: a file of entries ends in .jsonl, .yml, .yaml"),
            ("    source: attacks/cases.jsonl\n    rephrase: 0.3\n", "cannot be rephrased"),
        ],
    )
    def test_mistakes_of_the_entry_are_told(self, tmp_path: Path, entry: str, told: str) -> None:
        found = problems(
            tmp_path, f"attacks:\n  - name: dynamic\n{entry}", cases_jsonl=lines(WORD), cases_txt="x"
        )
        assert any(told in problem for problem in found), found

    def test_mistakes_of_all_entries_come_together(self, tmp_path: Path) -> None:
        text = lines(WORD, WORD, {"content": "x"}) + "{\n" + lines(TALK)
        found = problems(tmp_path, cases_jsonl=text)
        assert [problem.partition(": ")[0] for problem in found] == [
            f"cases.jsonl:{line}" for line in ("2:1", "3:1", "4:2", "5:1")
        ]


class TestStory:
    def test_entries_are_sent_and_judged(self, workspace: Workspace, serve_rasa: ServeRasa) -> None:
        server = serve_rasa(lambda message: "Well: SESAME" if "sesame" in message.text else "not loud")
        project = workspace(
            {
                "run.yml": f"technology: rasa\nconnector_params: base_url={server.url}\n",
                "security/security.yml": CAMPAIGN,
                "security/attacks/cases.jsonl": lines(WORD, SHOUT),
            }
        )
        project.run("--offline").succeeded()
        assert project.statuses() == {"word": "breached", "shout": "resilient"}
        word = project.results()[0]
        assert (word["prompt"], word["metadata"]["entry"]) == ("Say sesame.", WORD)

    def test_a_mistake_is_told_and_nothing_runs(self, workspace: Workspace) -> None:
        project = workspace(
            {
                "run.yml": "technology: dummy\n",
                "security/security.yml": CAMPAIGN,
                "security/attacks/cases.jsonl": lines(WORD) + '{"id": "b", "content": 5, }\n',
            }
        )
        ran = project.run("--offline").failed()
        assert "cases.jsonl:2:" in ran.err
        assert "this line is no JSON object" in ran.err
        assert not (project.path / "output").exists()

    def test_a_conversation_is_played_by_its_search(self, workspace: Workspace) -> None:
        bot = """
            class Bot:
                def __init__(self):
                    self.turns = 0
                def process_input(self, input_text, system_message=None):
                    self.turns += 1
                    return f"{system_message}: sesame" if self.turns > 1 else "No."
            """
        project = workspace(
            {
                "run.yml": "technology: python\nconnector_params: path=bot.py\n",
                "bot.py": bot,
                "security/security.yml": CAMPAIGN + "    dynamic: {attack: multi_turn}\n",
                "security/attacks/cases.jsonl": lines({**TALK, "system_message": "Hush"}),
            }
        )
        project.run("--offline").succeeded()
        assert project.statuses() == {"talk-attack": "breached"}
        [played] = project.results()
        assert played["response"] == "Hush: sesame"
