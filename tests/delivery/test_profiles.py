"""Who is simulated: the order of identities, where profiles are found, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.config.loader import Workspace, load_workspace
from sensei_kumite.delivery.profiles import Identity, find_identities, simulation_profile

ANNA = "user: {role: a guest who wants pizza, language: Spanish, context: You are hungry.}"
BOB = "user: {role: a guest who wants pasta}"


def entry(*keys: str) -> str:
    execution = ", ".join(["mode: simulated_user, warmup_turns: 1", *keys])
    return f"{{name: amnesia, execution: {{{execution}}}}}"


def load(
    folder: Path, campaign: str, files: dict[str, str] | None = None, *, safe: bool = False
) -> Workspace:
    project = folder / "project"
    for name, text in {"run.yml": "", "security/security.yml": campaign, **(files or {})}.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text, encoding="utf-8")
    workspace = load_workspace(project, safe=safe)
    assert workspace.problems == ()
    return workspace


def identity(
    folder: Path, campaign: str, files: dict[str, str] | None = None, *, safe: bool = False
) -> Identity:
    identities, problems = find_identities(load(folder, campaign, files, safe=safe))
    assert problems == []
    return identities[0]


def problems(
    folder: Path, campaign: str, files: dict[str, str] | None = None, *, safe: bool = False
) -> list[str]:
    """As lines, with places from the project folder."""
    _, found = find_identities(load(folder, campaign, files, safe=safe))
    return [str(problem).replace(f"{folder}/project/", "") for problem in found]


def test_the_profile_of_the_entry_comes_first(tmp_path: Path) -> None:
    campaign = (
        f"simulation: {{reference_profile: anna.yml}}\nattacks: [{entry('reference_profile: bob.yml')}]"
    )
    assert identity(tmp_path, campaign, {"anna.yml": ANNA, "bob.yml": BOB}).role == "a guest who wants pasta"


def test_then_that_of_the_campaign(tmp_path: Path) -> None:
    campaign = f"simulation: {{default_profile: anna.yml}}\nattacks: [{entry()}]"
    assert identity(tmp_path, campaign, {"anna.yml": ANNA, "bob.yml": BOB}) == Identity(
        role="a guest who wants pizza",
        language="Spanish",
        context="You are hungry.",
        source=str(tmp_path / "project" / "anna.yml"),
        source_type="reference_profile",
    )


def test_then_the_one_written_down_in_the_campaign(tmp_path: Path) -> None:
    campaign = (
        f"simulation: {{role: a guest, language: French, context: [hungry, 007]}}\nattacks: [{entry()}]"
    )
    assert identity(tmp_path, campaign) == Identity(
        role="a guest",
        language="French",
        context="hungry\n007",
        source=str(tmp_path / "project" / "security" / "security.yml"),
        source_type="inline",
    )


def test_an_entry_may_have_a_profile_beside_an_inline_identity(tmp_path: Path) -> None:
    campaign = f"simulation: {{role: a guest}}\nattacks: [{entry('user_profile: anna.yml')}]"
    assert identity(tmp_path, campaign, {"anna.yml": ANNA}).source_type == "reference_profile"


def test_people_speak_english_unless_they_do_not(tmp_path: Path) -> None:
    inline = f"simulation: {{role: a guest}}\nattacks: [{entry()}]"
    profile = f"attacks: [{entry('reference_profile: bob.yml')}]"
    assert identity(tmp_path, inline).language == "English"
    assert identity(tmp_path, profile, {"bob.yml": BOB}).language == "English"


def test_only_those_who_are_simulated_need_an_identity(tmp_path: Path) -> None:
    direct, disabled = (
        "{name: amnesia}",
        entry("reference_profile: gone").replace("{name", "{enabled: false, name"),
    )
    campaign = f"simulation: {{role: a guest}}\nattacks: [{direct}, {disabled}, {entry()}]"
    identities, found = find_identities(load(tmp_path, campaign))
    assert (list(identities), found) == ([2], [])


def test_an_entry_that_names_nobody_was_reported_by_the_loader(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "security").mkdir(parents=True)
    (project / "run.yml").touch()
    (project / "security" / "security.yml").write_text(f"attacks: [{entry()}]")
    workspace = load_workspace(project)
    assert [problem.severity for problem in workspace.problems] == ["error"]
    assert find_identities(workspace) == ({}, [])


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("people/anna.yml", "people/anna.yml"),
        ("people/anna", "people/anna.yaml"),
        ("anna.yml", "security/anna.yml"),
        ("anna.yml", "profiles/anna.yml"),
        ("anna", "profiles/anna.yml"),
        ("anna", "profiles/anna.yaml"),
        ("families/anna", "profiles/families/anna.yml"),
    ],
)
def test_where_profiles_are_found(tmp_path: Path, name: str, file: str) -> None:
    campaign = f"attacks: [{entry(f'reference_profile: {name}')}]"
    assert identity(tmp_path, campaign, {file: ANNA}).source == str(tmp_path / "project" / file)


def test_the_path_comes_before_the_folder(tmp_path: Path) -> None:
    files = {"anna.yml": ANNA, "profiles/anna.yml": BOB}
    assert "pizza" in identity(tmp_path, f"attacks: [{entry('reference_profile: anna.yml')}]", files).role


def test_a_folder_of_the_same_name_is_passed_by(tmp_path: Path) -> None:
    files = {"anna/photo.txt": "", "profiles/anna.yml": ANNA}
    assert "pizza" in identity(tmp_path, f"attacks: [{entry('reference_profile: anna')}]", files).role


def test_what_other_tools_keep_in_a_profile_is_not_read(tmp_path: Path) -> None:
    text = """
    test_name: anna
    llm: {model: gpt-4o, temperature: 0.8}
    user:
      role: 1234
      goals: ["order {{size}} pizza", {size: {function: forward(), type: string, data: [small]}}]
      context:
      personality: nobody reads this
      interaction_style: [long phrases]
    chatbot: {is_starter: false}
    """
    found = identity(tmp_path, f"attacks: [{entry('reference_profile: anna')}]", {"profiles/anna.yml": text})
    assert (found.role, found.context) == ("1234", "")


def test_what_a_report_tells_of_an_identity() -> None:
    assert simulation_profile(Identity("a guest", "English", "hungry", "a.yml", "reference_profile")) == {
        "role": "a guest",
        "language": "English",
        "context": "hungry",
        "source": "a.yml",
        "source_type": "reference_profile",
    }


def test_a_missing_profile_is_shown_where_it_is_named(tmp_path: Path) -> None:
    line = f"- {entry('user_profile: ana')}"
    campaign = f"attacks:\n{line}\n"
    column = line.index("ana") + 1
    assert problems(tmp_path, campaign, {"profiles/anna.yml": ANNA}) == [
        f"security/security.yml:2:{column}: reference_profile: 'ana' was not found. Did you mean 'anna'?"
    ]


def test_where_a_missing_profile_is_looked_for(tmp_path: Path) -> None:
    campaign = f"simulation: {{reference_profile: zoe}}\nattacks: [{entry()}]"
    assert problems(tmp_path, campaign) == [
        "security/security.yml:1:33: reference_profile: 'zoe' was not found. "
        "It is looked for as a path, then in profiles/."
    ]


def test_one_broken_profile_is_one_problem_for_all_that_use_it(tmp_path: Path) -> None:
    campaign = f"simulation: {{reference_profile: zoe}}\nattacks: [{entry()}, {entry()}]"
    assert len(problems(tmp_path, campaign)) == 1


def test_all_that_is_wrong_with_a_profile_is_said_at_once(tmp_path: Path) -> None:
    text = "user:\n  language: [Spanish]\n  context:\n    personality: cheerful\n"
    first, second, third = problems(
        tmp_path, f"attacks: [{entry('reference_profile: anna')}]", {"profiles/anna.yml": text}
    )
    assert first == "profiles/anna.yml:1:1: user: the key 'role' is missing."
    assert second == "profiles/anna.yml:2:3: user > language: should be text, not a list."
    assert third.startswith("profiles/anna.yml:4:18: personality: 'cheerful' was not found.")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "should be a mapping"),
        ("name: anna", "the key 'user' is missing"),
        ("user: anna", "user: should be a mapping"),
        ("user: {role: '  '}", "user > role: is empty."),
        ("user: {role: true}", "quote it"),
        ("user: [", "a value was expected here"),
        ("user: {role: a, role: b}", "role"),
    ],
)
def test_a_profile_that_describes_nobody_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    [problem] = problems(
        tmp_path, f"attacks: [{entry('reference_profile: anna')}]", {"profiles/anna.yml": text}
    )
    assert problem.startswith("profiles/anna.yml")
    assert message in problem


def test_safe_keeps_profiles_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "anna.yml").write_text(ANNA)
    campaign = f"attacks: [{entry('reference_profile: ../anna.yml')}]"
    assert identity(tmp_path, campaign).language == "Spanish"
    [problem] = problems(tmp_path, campaign, safe=True)
    assert "'../anna.yml' leads out of the workspace, which --safe forbids." in problem
