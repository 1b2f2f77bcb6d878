"""Names and what they stand for: built in, from installed packages, unknown, or claimed twice."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from sensei_kumite import registry as module
from sensei_kumite.errors import EnvironmentProblem, UnknownName
from sensei_kumite.registry import Registry

GROUP = "sensei_kumite.tests"


@pytest.fixture
def animals() -> Registry[type]:
    registry: Registry[type] = Registry("animal", GROUP)

    @registry.register("horse")
    class Horse:
        pass

    registry.add("donkey", int, origin="sensei-kumite")
    return registry


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> list[EntryPoint]:
    """The entry points that installed packages are said to have."""
    points: list[EntryPoint] = []
    monkeypatch.setattr(module, "entry_points", lambda *, group: [p for p in points if p.group == group])
    return points


def test_gives_what_was_registered(animals: Registry[type]) -> None:
    assert animals.get("horse").__name__ == "Horse"
    assert animals.names() == ["donkey", "horse"]
    assert "donkey" in animals
    assert "mule" not in animals
    assert 5 not in animals


def test_the_names_it_gives_are_a_copy(animals: Registry[type]) -> None:
    animals.names().clear()
    assert animals.names() == ["donkey", "horse"]


def test_of_an_unknown_name_offers_the_closest_and_all(animals: Registry[type]) -> None:
    with pytest.raises(UnknownName) as caught:
        animals.get("hrose")
    assert str(caught.value) == "Unknown animal 'hrose'. Did you mean 'horse'? Valid: donkey, horse."


def test_a_name_taken_twice_names_both_owners(animals: Registry[type]) -> None:
    with pytest.raises(EnvironmentProblem) as caught:
        animals.add("horse", str, origin="zoo")
    message = str(caught.value)
    assert "animal 'horse'" in message
    assert "by sensei-kumite and by zoo" in message
    assert animals.get("horse").__name__ == "Horse"


def test_installed_packages_add_theirs(animals: Registry[type], installed: list[EntryPoint]) -> None:
    installed += [
        EntryPoint("path", "pathlib:Path", GROUP),
        EntryPoint("other", "pathlib:PurePath", "another.group"),
    ]
    assert animals.names() == ["donkey", "horse", "path"]
    assert animals.get("path").__name__ == "Path"


def test_a_package_cannot_take_over_a_built_in_name(
    animals: Registry[type], installed: list[EntryPoint]
) -> None:
    installed.append(EntryPoint("horse", "pathlib:Path", GROUP))
    with pytest.raises(EnvironmentProblem, match="provided twice: by sensei-kumite and by pathlib:Path"):
        animals.get("horse")


@pytest.mark.parametrize("target", ["no_such_module_here:X", "pathlib:NoSuchClass"])
def test_a_broken_package_is_named(animals: Registry[type], installed: list[EntryPoint], target: str) -> None:
    installed.append(EntryPoint("mule", target, GROUP))
    with pytest.raises(EnvironmentProblem) as caught:
        animals.names()
    assert f"The animal 'mule' of {target} cannot be loaded" in str(caught.value)
