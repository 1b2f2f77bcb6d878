"""Files run with imports of ours: every form of import finds them, and nobody else does."""

from __future__ import annotations

import importlib.util
import sys
import textwrap
import threading
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sensei_kumite.errors import ConfigurationError
from sensei_kumite.targets.python_file import packages, run_file

OURS = {"toolbox.hammers.small": {"WEIGHT": 1, "hit": len}, "toolbox": {"OWNER": "me"}}


def run(folder: Path, text: str) -> ModuleType:
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return run_file(path, "script", packages(OURS))


def problem(folder: Path, text: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        run(folder, text)
    [found] = caught.value.problems
    return str(found).removeprefix(f"{folder}/")


@pytest.mark.parametrize(
    "text",
    [
        "import toolbox.hammers.small\nfound = toolbox.hammers.small.WEIGHT",
        "import toolbox.hammers.small as small\nfound = small.WEIGHT",
        "import toolbox\nfound = toolbox.hammers.small.WEIGHT",
        "from toolbox import hammers\nfound = hammers.small.WEIGHT",
        "from toolbox.hammers import small as s\nfound = s.WEIGHT",
        "from toolbox.hammers.small import WEIGHT as found",
        "from toolbox.hammers.small import *\nfound = WEIGHT",
        "exec('from toolbox.hammers.small import WEIGHT as found')",
        "found = __import__('toolbox.hammers.small').hammers.small.WEIGHT",
        "class C:\n    from toolbox.hammers.small import WEIGHT\nfound = C.WEIGHT",
    ],
)
def test_every_form_of_import_finds_them(tmp_path: Path, text: str) -> None:
    assert run(tmp_path, text).found == 1


def test_functions_find_them_when_they_are_called(tmp_path: Path) -> None:
    module = run(
        tmp_path,
        """
        found = []
        def late():
            from toolbox.hammers.small import WEIGHT
            found.append(WEIGHT)
        """,
    )
    module.late()
    thread = threading.Thread(target=module.late)
    thread.start()
    thread.join()
    assert module.found == [1, 1]


def test_nobody_else_finds_them(tmp_path: Path) -> None:
    before, finders, folders = set(sys.modules), list(sys.meta_path), list(sys.path)
    module = run(tmp_path, "import toolbox\ncopy = __builtins__\nimport builtins\nreal = builtins.__import__")
    assert set(sys.modules) == before
    assert (sys.meta_path, sys.path) == (finders, folders)
    assert importlib.util.find_spec("toolbox") is None
    assert module.copy["__import__"] is not module.real is __import__
    with pytest.raises(ModuleNotFoundError):
        import toolbox  # noqa: F401


def test_everything_else_is_what_is_installed(tmp_path: Path) -> None:
    module = run(tmp_path, "import json, xml.dom.minidom\nfrom os import path\nfrom collections import *")
    assert module.json is sys.modules["json"]
    assert module.xml.dom.minidom is sys.modules["xml.dom.minidom"]
    assert module.OrderedDict


def test_modules_of_one_file_are_not_those_of_another(tmp_path: Path) -> None:
    first = run(tmp_path, "import toolbox\ntoolbox.OWNER = 'you'")
    second = run(tmp_path, "import toolbox")
    assert (first.toolbox.OWNER, second.toolbox.OWNER) == ("you", "me")


def test_dataclasses_with_late_annotations_work(tmp_path: Path) -> None:
    module = run(
        tmp_path,
        """
        from __future__ import annotations
        from dataclasses import dataclass
        from typing import ClassVar

        @dataclass
        class Point:
            x: int
            count: ClassVar[int] = 0
        """,
    )
    assert module.Point(3).x == 3


def test_the_file_is_no_main_program(tmp_path: Path) -> None:
    assert not hasattr(run(tmp_path, "if __name__ == '__main__':\n    ran = True"), "ran")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\nif x\n", "script.py:2:5: this is no valid Python: expected ':'."),
        ("\n\nimport notthere.inner", "script.py:3: this file cannot be loaded: the module 'notthere'"),
        ("from toolbox.hammers.small import saw", "script.py:1: this file cannot be loaded: ImportError: "),
        (
            "def f():\n    raise ValueError('a b')\n\nf()",
            "script.py:2: this file cannot be loaded: ValueError",
        ),
        ("import sys\nsys.exit('enough')", "script.py:2: this file cannot be loaded: SystemExit: enough."),
        ("x = '\0'", "script.py"),
        ("from . import sibling", "script.py:1: this file cannot be loaded: "),
    ],
)
def test_what_cannot_be_loaded_is_told_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    assert problem(tmp_path, text).startswith(expected)


def test_a_module_that_is_missing_below_ours_is_named(tmp_path: Path) -> None:
    assert "the module 'toolbox.saws' is not installed" in problem(tmp_path, "from toolbox.saws import big")


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_bytes(b"x = '\xff'\n")
    with pytest.raises(ConfigurationError, match="this is no valid Python"):
        run_file(path, "script", {})


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="this file cannot be read: Is a directory"):
        run_file(tmp_path, "script", {})


@given(st.lists(st.from_regex(r"[a-c](\.[a-c]){0,3}", fullmatch=True), min_size=1))
def test_packages_hold_every_module_on_the_way(names: list[str]) -> None:
    made = packages({name: {"here": name} for name in names})
    for name in names:
        top, *inner = name.split(".")
        module: object = made[top]
        for step in inner:
            module = getattr(module, step)
        assert module is made[name]
        assert made[name].here == name
