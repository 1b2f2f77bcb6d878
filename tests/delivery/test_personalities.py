"""Context as text, whatever its shape, and the personalities that it may name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.config.campaign import Campaign
from sensei_kumite.config.loader import Workspace
from sensei_kumite.config.run_file import RunFile
from sensei_kumite.delivery.personalities import personalities, read_context
from sensei_kumite.errors import ConfigurationError
from sensei_kumite.yaml_reader import parse_yaml

BUILT_IN = [
    "conversational",
    "curious",
    "direct",
    "disorganized",
    "elderly",
    "formal",
    "impatient",
    "rude",
    "sarcastic",
    "skeptical",
]


def context(yaml: str, project: Path = Path("nowhere"), *, safe: bool = False) -> str:
    """The context that `yaml` gives, in a workspace at `project`."""
    nothing = parse_yaml("", project / "security" / "security.yml")
    workspace = Workspace(project, Campaign(), nothing, RunFile(), nothing, (), (), safe)
    return read_context(parse_yaml(f"user:\n  context: {yaml}", Path("anna.yml")), "user", workspace)


def fails(yaml: str, project: Path = Path("nowhere"), *, safe: bool = False) -> str:
    with pytest.raises(ConfigurationError) as caught:
        context(yaml, project, safe=safe)
    return str(caught.value)


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("yaml", "text"),
    [
        ("", ""),
        ("You are hungry.", "You are hungry."),
        ("[You are hungry., '', ~, You are late.]", "You are hungry.\nYou are late."),
        ("[1, [2, [3]]]", "1\n2\n3"),
        ("{goal: buy shoes, size: 39}", "goal: buy shoes\nsize: 39"),
        ("{phone: 0612345678, vip: true, note: }", "phone: 0612345678\nvip: true"),
        (
            "{children: [Ana, Leo], home: {city: Madrid, floor: 3}}",
            "children: Ana; Leo\nhome: city: Madrid; floor: 3",
        ),
        ("[hungry, {budget: 1.10}]", "hungry\nbudget: 1.10"),
        ("{2: two}", "2: two"),
        ('"personality: rude"', "personality: rude"),
        ("{personality: }", ""),
    ],
)
def test_context_is_text_a_line_for_each_thing(yaml: str, text: str) -> None:
    assert context(yaml) == text


TREES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.from_regex(r"[a-z]{1,8}", fullmatch=True)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "c"]), inner, max_size=3)
    ),
    max_leaves=12,
)


def leaves(tree: object) -> list[str]:
    if isinstance(tree, dict):
        return [leaf for item in tree.values() for leaf in leaves(item)]
    if isinstance(tree, list):
        return [leaf for item in tree for leaf in leaves(item)]
    return [str(tree).lower()]


@given(TREES)
def test_nothing_of_a_context_is_lost(tree: object) -> None:
    import json

    text = context(json.dumps(tree))
    position = 0
    for leaf in leaves(tree):
        position = text.index(leaf, position) + len(leaf)


def test_there_are_ten_built_in() -> None:
    assert list(personalities()) == BUILT_IN


def test_each_is_different() -> None:
    texts = [context(f"{{personality: {name}}}") for name in BUILT_IN]
    assert len({*texts}) == len(BUILT_IN)
    assert all(text.count("\n") == 2 for text in texts)


@pytest.mark.parametrize(
    "name", ["rude", "rude-user", "rude-user.yml", "rude.yml", "personalities/rude-user.yml", "' rude '"]
)
def test_a_personality_may_be_named_as_its_file_is(name: str) -> None:
    assert context(f"{{personality: {name}}}") == context("{personality: rude}")


def test_a_personality_stands_among_other_things() -> None:
    rude = context("{personality: rude}")
    assert context("[You are late., {personality: rude}, 42]") == f"You are late.\n{rude}\n42"
    assert context("{goal: shoes, personality: rude}") == f"goal: shoes\n{rude}"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("personalities/cheerful.yml", "cheerful"),
        ("personalities/cheerful.yaml", "cheerful"),
        ("personalities/cheerful-user.yml", "cheerful"),
        ("personalities/cheerful-user.yaml", "cheerful-user"),
        ("personalities/cheerful-user.yml", "cheerful-user.yml"),
        ("personalities/cheerful-user.yml", "personalities/cheerful-user.yml"),
        ("personalities/moods/cheerful.yml", "personalities/moods/cheerful"),
        ("security/personalities/cheerful.yml", "cheerful"),
    ],
)
def test_a_project_has_personalities_of_its_own(tmp_path: Path, file: str, name: str) -> None:
    write(tmp_path, file, "name: whatever\ncontext: [You sing., {favourite: 007}]")
    assert context(f"{{personality: {name}}}", tmp_path) == "You sing.\nfavourite: 007"


def test_they_come_before_the_built_in_ones(tmp_path: Path) -> None:
    write(tmp_path, "personalities/rude-user.yml", "context: You bow.")
    assert context("{personality: rude}", tmp_path) == "You bow."


def test_an_unknown_one_is_told_with_all_that_are_known(tmp_path: Path) -> None:
    write(tmp_path, "personalities/cheerful-user.yml", "context: You sing.")
    names = ", ".join(sorted([*BUILT_IN, "cheerful"]))
    assert fails("\n    - personality: curius", tmp_path) == (
        f"anna.yml:3:20: personality: 'curius' was not found. Did you mean 'curious'? Valid: {names}."
    )


@pytest.mark.parametrize(
    ("name", "shown"), [("[rude]", "a list"), ("7", "7"), ("''", "''"), ("true", "true")]
)
def test_a_personality_is_named_by_text(name: str, shown: str) -> None:
    assert f"personality: should be a name, not {shown}." in fails(f"{{personality: {name}}}")


@pytest.mark.parametrize("text", ["", "You sing.", "[You sing.]", "context:", "mood: good"])
def test_a_file_without_context_is_no_personality(tmp_path: Path, text: str) -> None:
    write(tmp_path, "personalities/odd.yml", text)
    message = fails("{personality: odd}", tmp_path)
    assert message.startswith(f"{tmp_path / 'personalities' / 'odd.yml'}:1:1: a personality needs context")


def test_a_personality_names_no_other(tmp_path: Path) -> None:
    write(tmp_path, "personalities/odd.yml", "context:\n- personality: odd")
    assert f"{tmp_path / 'personalities' / 'odd.yml'}:2:16: a personality cannot name" in fails(
        "{personality: odd}", tmp_path
    )


def test_a_broken_file_is_told_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, "personalities/odd.yml", "context: {{a}}")
    assert str(tmp_path / "personalities" / "odd.yml") in fails("{personality: odd}", tmp_path)


def test_safe_keeps_personalities_in_the_workspace(tmp_path: Path) -> None:
    write(tmp_path, "other/odd.yml", "context: You sing.")
    project = tmp_path / "project"
    project.mkdir()
    assert context("{personality: ../other/odd.yml}", project) == "You sing."
    assert "leads out of the workspace" in fails("{personality: ../other/odd.yml}", project, safe=True)
