"""What parts of a security.yml ask of each other: something has to be tested, and somebody simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.config.campaign_file import read_campaign
from sensei_kumite.yaml_reader import parse_yaml

ATTACKS = "attacks:\n  - name: amnesia\n"


def lines(text: str) -> list[str]:
    return [str(problem) for problem in read_campaign(parse_yaml(text, Path("security.yml")))[2]]


def test_sound_parts_are_kept_with_their_positions() -> None:
    text = (
        "security_test_name: shop\nexecution: {seed: x}\nattacks: [{name: a}, {}, {name: c, enabled: no}]\n"
    )
    campaign, entries, problems = read_campaign(parse_yaml(text, Path("security.yml")))
    assert campaign.security_test_name == "shop"
    assert campaign.execution.seed is None
    assert [(position, entry.name) for position, entry in entries] == [(0, "a"), (2, "c")]
    assert [entry.name for entry in campaign.attacks] == ["a", "c"]
    assert len(problems) == 2


class TestNothingToTest:
    @pytest.mark.parametrize(
        ("text", "line"),
        [
            (
                "",
                "security.yml:1:1: this file is empty: no attacks are configured, so nothing would",
            ),
            ("execution: {}\n", "security.yml:1:1: no attacks are configured, so nothing would be tested."),
            ("execution: {}\nattacks: []\n", "security.yml:2:1: no attacks are configured, so nothing"),
            ("execution: {}\nattacks:\n", "security.yml:2:1: no attacks are configured, so nothing"),
            ("attacks: [{name: a, enabled: no}]\n", "security.yml:1:1: all attacks are disabled, so nothing"),
            (
                "attacks: {name: a}\n",
                "security.yml:1:1: attacks: should be a list (lines that begin with '- ')",
            ),
            (
                "attacks: amnesia\n",
                "security.yml:1:1: attacks: should be a list (lines that begin with '- ')",
            ),
            ("attack:\n  - name: a\n", "security.yml:1:1: unknown key 'attack'. Did you mean 'attacks'?"),
            ("- name: a\n", "security.yml:1:1: this file should hold a mapping"),
            ("execution: {attempts: 0}\n" + ATTACKS, "execution > attempts: should be at least 1, not 0."),
        ],
    )
    def test_is_one_problem(self, text: str, line: str) -> None:
        (found,) = lines(text)
        assert line in found

    def test_a_misspelt_key_and_nothing_else_is_reported_once(self) -> None:
        (found,) = lines("security_test_name: shop\nattack:\n  - name: amnesia\n")
        assert found == "security.yml:2:1: unknown key 'attack'. Did you mean 'attacks'?"

    def test_is_not_claimed_when_the_only_attack_is_broken(self) -> None:
        (found,) = lines("attacks: [{name: a, rephrase: 2}]\n")
        assert "rephrase" in found


class TestSimulatedUsers:
    ENTRY = "attacks:\n- name: a\n  execution:\n    mode: simulated_user\n    warmup_turns: 2\n"

    def test_need_an_identity(self) -> None:
        (line,) = lines(self.ENTRY)
        assert line.startswith(
            "security.yml:4:11: attacks[1] (a) > execution: mode simulated_user needs somebody to simulate."
        )

    @pytest.mark.parametrize(
        "text",
        [
            ENTRY + "    reference_profile: p.yml\n",
            ENTRY + "    user_profile: p.yml\n",
            ENTRY + "simulation: {reference_profile: p.yml}\n",
            ENTRY + "simulation: {default_profile: p.yml}\n",
            ENTRY + "simulation: {role: a customer}\n",
            ENTRY.replace("name: a", "name: a\n  enabled: false") + "- name: b\n",
        ],
    )
    def test_have_it_from_the_entry_or_the_campaign(self, text: str) -> None:
        assert lines(text) == []

    def test_are_not_doubted_when_their_description_is_broken(self) -> None:
        (line,) = lines(self.ENTRY + "simulation: {role: true}\n")
        assert "simulation > role" in line


def test_keys_that_mean_nothing_in_mode_direct_get_a_warning() -> None:
    text = "attacks:\n  - name: amnesia\n    execution: {warmup_turns: 2}\n"
    (problem,) = read_campaign(parse_yaml(text, Path("security.yml")))[2]
    assert problem.severity == "warning"
    assert "warmup_turns has no effect in mode direct" in str(problem)
    assert problem.place is not None and problem.place.line == 3
