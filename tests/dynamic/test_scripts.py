"""Dynamic attacks by name and by path: what is found and known of them, and what is said where nothing is."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.dynamic import DYNAMIC_ATTACKS, Attack, Turn
from sensei_kumite.dynamic.scripts import DynamicAttack, describe_attack, find_attack, list_attacks
from sensei_kumite.errors import ConfigurationError
from sensei_kumite.files import resolve_path
from tests.llm.scripted import ScriptedModel

FUNCTION = """
    def attack(entry, target_module, call_judge, max_iterations):
        return 1, False, "function", ""
"""
# As the page about scripts shows them, several in one file and the base class among them.
CLASSES = """
    from spikee.templates.attack import Attack
    from spikee.utilities.enums import ModuleTag, Turn
    from spikee.utilities.hinting import AttackResponseHint, ModuleDescriptionHint, ModuleOptionsHint

    class Base(Attack):
        def helper(self):
            return "helped"

    class First(Base):
        def __init__(self):
            super().__init__(turn_type=Turn.MULTI)
            self.calls = 0

        def get_description(self) -> ModuleDescriptionHint:
            return [ModuleTag.MULTI, ModuleTag.LLM], "Asks again\\n and again."

        def get_available_option_values(self) -> ModuleOptionsHint:
            return ["strategy=random", "strategy=stealth"], True

        def attack(self, entry, target_module, call_judge, max_iterations, attempts_bar=None, bar_lock=None,
                   attack_option=None, return_all_attempts=False) -> AttackResponseHint:
            self.calls += 1
            return self.calls, False, self.helper(), ""

    class Second(First):
        def get_description(self):
            return [], "Another one."

    def attack(*args):
        return 2, False, "function", ""
"""


# A class that cannot be made as its constructor goes on.
BAD = """from spikee.templates.attack import Attack
class Bad(Attack):
    def attack(self, entry, target_module, call_judge, max_iterations): pass
    def __init__("""


class Folder:
    """A workspace with scripts in security/attacks."""

    def __init__(self, path: Path, **scripts: str) -> None:
        self.path = path
        self.attacks = path / "security" / "attacks"
        self.attacks.mkdir(parents=True)
        for name, text in scripts.items():
            (self.attacks / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")

    def find(self, name: str, *, safe: bool = False, generation: Any = None) -> DynamicAttack:
        return find_attack(name, resolve=self.resolve, generation=generation, safe=safe)

    def resolve(self, name: str) -> Path:
        return resolve_path(name, [self.path / "security", self.path])

    def problem(self, name: str, **how: Any) -> str:
        with pytest.raises(ConfigurationError) as caught:
            self.find(name, **how)
        [problem] = caught.value.problems
        return str(problem).replace(f"{self.attacks}/", "")


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Folder]:
    return lambda **scripts: Folder(tmp_path, **scripts)


def called(attack: Callable[..., Any], **more: Any) -> Any:
    return attack({}, None, None, 5, **more)


class TestFinding:
    @pytest.mark.parametrize("name", ["mine", "mine.py", "attacks/mine.py", "security/attacks/mine.py"])
    def test_a_script_is_found_by_name_and_by_path(self, folder: Callable[..., Folder], name: str) -> None:
        found = folder(mine=FUNCTION).find(name)
        assert (found.name, called(found.start())) == ("mine", (1, False, "function", ""))

    def test_a_path_may_be_absolute(self, folder: Callable[..., Folder]) -> None:
        made = folder(mine=FUNCTION)
        path = made.attacks / "mine.py"
        assert made.find(str(path)).source == str(path)

    @pytest.mark.parametrize("name", DYNAMIC_ATTACKS.names())
    def test_every_built_in_is_found(self, folder: Callable[..., Folder], name: str) -> None:
        found = folder().find(name, safe=True)
        assert (found.name, bool(found.description), bool(found.tags)) == (name, True, True)
        assert found.check_options("") == []
        assert found.takes is not None
        assert {"entry", "return_all_attempts", "context"} <= found.takes

    def test_a_built_in_goes_before_a_script_of_its_name(self, folder: Callable[..., Folder]) -> None:
        made = folder(best_of_n=FUNCTION)
        assert made.find("best_of_n").source == made.find("best_of_n", safe=True).source
        assert called(made.find("best_of_n.py").start())[2] == "function"

    @pytest.mark.parametrize("name", ["mine", "attacks/mine.py"])
    def test_safe_runs_none(self, folder: Callable[..., Folder], name: str) -> None:
        made = folder(mine="raise SystemExit('it ran')")
        assert "--safe runs no Python file" in made.problem(name, safe=True)

    @pytest.mark.parametrize(
        ("name", "meant"),
        [
            ("best_of_m", "'best_of_n'"),
            ("my_serch", "'my_search'"),
            ("attacks/my_serch.py", "'attacks/my_search.py'"),
        ],
    )
    @pytest.mark.parametrize("safe", [True, False])
    def test_an_unknown_name_gets_the_closest(
        self, folder: Callable[..., Folder], name: str, meant: str, safe: bool
    ) -> None:
        message = folder(my_search=FUNCTION).problem(name, safe=safe)
        assert f"{name!r}" in message and f" Did you mean {meant}?" in message
        assert (
            "Give its path" if name.endswith(".py") else "Valid: anti_spotlighting, best_of_n,"
        ) in message

    def test_a_folder_without_scripts_is_no_reason_to_fail(self, tmp_path: Path) -> None:
        def resolve(name: str) -> Path:
            return resolve_path(name, [tmp_path])

        with pytest.raises(ConfigurationError, match="no dynamic attack 'nothing'"):
            find_attack("nothing", resolve=resolve, generation=None, safe=False)


class TestScripts:
    def test_the_first_class_that_is_complete_and_of_the_file_counts(
        self, folder: Callable[..., Folder]
    ) -> None:
        found = folder(mine=CLASSES).find("mine")
        assert found.turn is Turn.MULTI
        assert found.description == "Asks again and again."
        assert found.tags == ("Multi-Turn", "LLM")
        assert found.options == ("strategy=random", "strategy=stealth")
        assert found.needs_model
        assert found.takes is not None
        assert {"attack_option", "return_all_attempts"} <= found.takes
        assert not {"attack_options", "context", "self"} & found.takes
        assert called(found.start())[2] == "helped"

    def test_every_search_has_an_instance_of_its_own(self, folder: Callable[..., Folder]) -> None:
        found = folder(mine=CLASSES).find("mine")
        assert [called(found.start())[0] for _ in range(3)] == [1, 1, 1]
        once = found.start()
        assert [called(once)[0] for _ in range(3)] == [1, 2, 3]

    def test_a_class_of_another_file_is_none_of_the_script(self, folder: Callable[..., Folder]) -> None:
        text = f"{FUNCTION}\n    from sensei_kumite.dynamic.searches.best_of_n import BestOfN\n"
        assert called(folder(mine=text).find("mine").start())[2] == "function"

    def test_a_model_is_the_campaigns(self, folder: Callable[..., Folder]) -> None:
        text = """
            from sensei_kumite.dynamic import get_llm
            def attack(entry, target_module, call_judge, max_iterations):
                return 1, False, get_llm("").invoke("hi").content, ""
        """
        found = folder(mine=text).find("mine", generation=lambda: ScriptedModel("from the campaign"))
        assert called(found.start())[2] == "from the campaign"

    @pytest.mark.parametrize(
        ("declared", "takes"),
        [
            ("e, t, j, m", {"e", "t", "j", "m"}),
            ("entry, target_module, call_judge, max_iterations, *, context", {"context"}),
            ("entry, target_module, call_judge, max_iterations, attempts_bar, bar_lock", {"bar_lock"}),
            ("entry, target_module, call_judge, max_iterations, my_own=5", {"my_own"}),
        ],
    )
    def test_what_it_takes_is_what_it_declares(
        self, folder: Callable[..., Folder], declared: str, takes: set[str]
    ) -> None:
        found = folder(mine=f"def attack({declared}): pass").find("mine")
        assert found.takes is not None
        assert takes <= found.takes

    @pytest.mark.parametrize("declared", ["*args, **kwargs", "entry, target, judge, count, **rest"])
    def test_a_script_that_takes_anything_takes_everything(
        self, folder: Callable[..., Folder], declared: str
    ) -> None:
        assert folder(mine=f"def attack({declared}): pass").find("mine").takes is None

    @pytest.mark.parametrize(
        ("told", "expected"),
        [
            ("def get_description(): return 'Old style.'", {"description": "Old style."}),
            (
                "def get_description(): return ['encoding'], 'Mixed.'",
                {"description": "Mixed.", "tags": ("encoding",)},
            ),
            ("def get_description(): return None", {"description": "", "tags": ()}),
            ("def get_description(): return 5", {"description": "", "tags": ()}),
            ("def get_description(): raise RuntimeError('no')", {"description": ""}),
            ("def get_description(needed): pass", {"description": ""}),
            ("get_description = 'a text'", {"description": ""}),
            ("def get_available_option_values(): return ['a=1', 'b=2']", {"options": ("a=1", "b=2")}),
            ("def get_available_option_values(): return ('a=1', 'b=2')", {"options": ("a=1", "b=2")}),
            (
                "def get_available_option_values(): return ['a=1'], True",
                {"options": ("a=1",), "needs_model": True},
            ),
            ("def get_available_option_values(): return None, True", {"options": (), "needs_model": True}),
            ("def get_available_option_values(): return None", {"options": (), "needs_model": False}),
            ("def get_available_option_values(): return 1 / 0", {"options": (), "needs_model": False}),
            ("turn_type = 'multi'", {"turn": Turn.SINGLE}),
            ("from spikee.utilities.enums import Turn\nturn_type = Turn.MULTI", {"turn": Turn.MULTI}),
        ],
    )
    def test_older_scripts_say_what_they_say(
        self, folder: Callable[..., Folder], told: str, expected: Mapping[str, Any]
    ) -> None:
        found = folder(mine=f"{told}\n{textwrap.dedent(FUNCTION)}").find("mine")
        assert {name: getattr(found, name) for name in expected} == expected

    def test_of_the_options_of_a_script_nothing_is_known(self, folder: Callable[..., Folder]) -> None:
        assert folder(mine=FUNCTION).find("mine").check_options("anything=goes") == []

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("x = 5", "mine.py: there is no attack in this script. Define a class that derives from Attack"),
            ("attack = 5", "mine.py: there is no attack in this script."),
            ("from spikee.templates.attack import Attack", "mine.py: there is no attack in this script."),
            (
                "from spikee.templates.attack import Attack\nclass Half(Attack): pass",
                "mine.py: Half has no method attack.",
            ),
            (
                "\ndef attack(entry): pass",
                "mine.py:2: attack cannot be called as attack(entry, target_module,",
            ),
            ("def attack(a, b, c, d, e): pass", "missing a required argument: 'e'"),
            ("def attack(*, entry, target_module, call_judge, max_iterations): pass", "too many positional"),
            ("def attack(:", "mine.py:1:"),
            (
                "import json\nimport no_such_module",
                "mine.py:2: this file cannot be loaded: the module 'no_such_module'",
            ),
            ("\n\n1 / 0", "mine.py:3: this file cannot be loaded: ZeroDivisionError"),
            ("from spikee.tester import run", "mine.py:1: this file cannot be loaded: ImportError"),
            (f"{BAD}self): 1 / 0", "mine.py:4: this file cannot be loaded: ZeroDivisionError"),
            (f"{BAD}self, needed): pass", "mine.py: this file cannot be loaded: TypeError"),
        ],
    )
    def test_what_is_wrong_is_said_with_its_place(
        self, folder: Callable[..., Folder], text: str, message: str
    ) -> None:
        assert message in folder(mine=text).problem("mine")


class TestOptions:
    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("scramble=0.2,noise=0", ""),
            ("scramble=2", "scramble: should be at most 1, not 2."),
            ("scramble=much", "scramble: should be a number, not 'much'"),
            ("scrambel=0.2", "unknown key 'scrambel'. Did you mean 'scramble'?"),
            ("aggressive", "'aggressive' is no option; options are written key=value,key=value."),
            ("=1", "'=1' is no option"),
            (" ", "'' is no option"),
            ("noise=", "noise has no value; leave it out for its default."),
            ("noise=0.1,noise=0.2", "noise is given twice."),
        ],
    )
    def test_problems_of_a_built_in_are_found_before_it_runs(
        self, folder: Callable[..., Folder], text: str, problem: str
    ) -> None:
        problems = folder().find("best_of_n").check_options(text)
        assert len(problems) == bool(problem)
        assert problem in " ".join(problems)

    def test_every_problem_is_a_sentence_of_its_own(self, folder: Callable[..., Folder]) -> None:
        assert len(folder().find("best_of_n").check_options("scramble=2,noise=3,else=4")) == 3

    @pytest.mark.parametrize("name", DYNAMIC_ATTACKS.names())
    def test_options_are_shown_with_their_defaults(self, folder: Callable[..., Folder], name: str) -> None:
        attack = folder().find(name)
        shown = [option.partition("  ")[0] for option in attack.options]
        assert shown == DYNAMIC_ATTACKS.get(name)().get_available_option_values()[0]


def test_the_list_has_a_line_for_every_built_in() -> None:
    listed = dict(list_attacks())
    assert list(listed) == DYNAMIC_ATTACKS.names()
    assert all(description and "\n" not in description for description in listed.values())


def test_a_description_tells_everything(folder: Callable[..., Folder]) -> None:
    lines = [*describe_attack(folder(mine=CLASSES).find("mine"))]
    assert lines[:-1] == [
        "mine: Asks again and again.",
        "  tags: Multi-Turn, LLM",
        "  turns: multi-turn",
        "  needs a generation model: yes",
        "  options, defaults first:",
        "    strategy=random",
        "    strategy=stealth",
    ]
    assert lines[-1].startswith("  source: ")
    assert lines[-1].endswith("security/attacks/mine.py")


def test_a_script_without_a_word_can_be_described(folder: Callable[..., Folder]) -> None:
    lines = [*describe_attack(folder(mine=FUNCTION).find("mine"))]
    assert lines[0] == "mine: no description"
    assert "  options: none" in lines


def test_a_built_in_is_described_with_its_paper(folder: Callable[..., Folder]) -> None:
    lines = [*describe_attack(folder().find("best_of_n"))]
    assert lines[-1].startswith("  source: Hughes et al.")
    assert any(line.startswith("    scramble=0.63  ") for line in lines)


def test_an_attack_of_another_package_is_one(
    folder: Callable[..., Folder], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Foreign(Attack):
        def attack(self, *args: Any, **kwargs: Any) -> Any:
            return 1, False, "foreign", ""

    monkeypatch.setitem(DYNAMIC_ATTACKS._items, "foreign", Foreign)
    found = folder().find("foreign", safe=True)
    assert called(found.start())[2] == "foreign"
    assert (found.takes, found.options, found.source) == (None, (), "")


def test_every_search_of_a_built_in_has_an_instance_of_its_own(folder: Callable[..., Folder]) -> None:
    attack = folder().find("best_of_n")
    first, second = attack.start(), attack.start()
    assert first.__self__ is not second.__self__  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "plays_turns", "asks_a_model"),
    [("multi_turn", True, False), ("best_of_n", False, False), ("pair", False, True)],
)
def test_what_a_built_in_does_is_known(
    folder: Callable[..., Folder], name: str, plays_turns: bool, asks_a_model: bool
) -> None:
    attack = folder().find(name)
    assert (attack.plays_turns, attack.model_calls > 0) == (plays_turns, asks_a_model)
    assert attack.model_calls == getattr(DYNAMIC_ATTACKS.get(name), "model_calls", None)


def test_what_a_script_does_is_what_it_says(folder: Callable[..., Folder]) -> None:
    scripts = folder(talks=CLASSES, sends=FUNCTION)
    assert [
        (attack.plays_turns, attack.model_calls, attack.needs_model)
        for attack in (scripts.find("talks"), scripts.find("sends"))
    ] == [(True, 1, True), (False, 0, False)]


@pytest.mark.parametrize(
    "text",
    [
        "async def attack(entry, target_module, call_judge, max_iterations):\n    return 0, False, '', ''\n",
        "def attack(entry, target_module, call_judge, max_iterations):\n    yield 0\n",
    ],
)
def test_an_attack_is_a_plain_function(folder: Callable[..., Folder], text: str) -> None:
    message = folder(odd=text).problem("odd")
    assert "odd.py:1: attack should be a plain function, neither async nor a generator." in message


def test_files_beside_a_script_can_be_imported(folder: Callable[..., Folder]) -> None:
    helper = "from spikee.utilities.enums import Turn\nNAME = Turn.MULTI.value\n"
    text = (
        "import importlib\n"
        "from words_of_mine import NAME\n"
        "Turn = importlib.import_module('spikee.utilities.enums').Turn\n"
        "def attack(entry, target_module, call_judge, max_iterations):\n"
        "    import words_of_mine\n"
        "    return 0, words_of_mine.NAME == NAME == Turn.MULTI.value, '', ''\n"
    )
    found = folder(mine=text, words_of_mine=helper).find("mine")
    assert found.start()({}, None, None, 1)[1] is True
