from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sensei_kumite.attacks.custom.functions import FunctionFiles
from sensei_kumite.errors import ConfigurationError
from tests.attacks.build import found

CODE = """\
from __future__ import annotations

import base64
import sys
from dataclasses import dataclass

COUNT = 0
NUMBER = 3
same = str.upper


@dataclass
class Greeting:
    to: str

    def __str__(self) -> str:
        return f"Hello {self.to}"


def encode(text, prefix="P:", **more):
    return prefix + base64.b64encode(text.encode()).decode() + "".join(sorted(more))


def greet(name):
    return str(Greeting(name))


def count():
    global COUNT
    COUNT += 1
    return str(COUNT)


def number():
    return 5


def boom():
    raise KeyError("no such thing")


def leave():
    sys.exit(3)


class Text(str):
    pass


def of_a_kind():
    return Text("own")


def change(items):
    items.append("more")
    return "|".join(items)
"""


@pytest.fixture
def files(tmp_path: Path) -> FunctionFiles:
    (tmp_path / "f.py").write_text(CODE)
    return FunctionFiles(partial(found, tmp_path))


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("encode", {"text": "hi"}, "P:aGk="),
        ("encode", {"text": "hi", "prefix": "", "z": 1, "a": None}, "aGk=az"),
        ("greet", {"name": "Ann"}, "Hello Ann"),
        ("change", {"items": ["a"]}, "a|more"),
    ],
)
def test_a_function_is_called_with_named_arguments(
    files: FunctionFiles, function: str, arguments: dict[str, Any], expected: str
) -> None:
    files.check("f.py", function, arguments)
    assert files.call("f.py", function, arguments) == expected


def test_no_call_finds_what_another_one_left(files: FunctionFiles) -> None:
    assert [files.call("f.py", "count", {}) for _ in range(3)] == ["1", "1", "1"]


def test_the_result_is_a_plain_text(files: FunctionFiles) -> None:
    assert type(files.call("f.py", "of_a_kind", {})) is str


def test_python_and_the_folder_are_left_as_they_were(tmp_path: Path, files: FunctionFiles) -> None:
    before, path = set(sys.modules), list(sys.path)
    files.call("f.py", "encode", {"text": "hi"})
    with pytest.raises(ConfigurationError):
        files.call("f.py", "boom", {})
    assert (set(sys.modules), sys.path) == (before, path)
    assert [file.name for file in tmp_path.iterdir()] == ["f.py"]


def test_checking_runs_the_file_but_not_the_function(tmp_path: Path, files: FunctionFiles) -> None:
    (tmp_path / "g.py").write_text(
        f"open({str(tmp_path / 'loaded')!r}, 'w').close()\n"
        f"def f():\n    open({str(tmp_path / 'called')!r}, 'w').close()\n"
    )
    files.check("g.py", "f", {})
    assert (tmp_path / "loaded").exists()
    assert not (tmp_path / "called").exists()


def test_safe_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "g.py").write_text(f"open({str(tmp_path / 'loaded')!r}, 'w').close()\ndef f(): return 'x'\n")
    files = FunctionFiles(partial(found, tmp_path), safe=True)
    calls: list[Callable[[], object]] = [
        partial(files.check, "g.py", "f", {}),
        partial(files.call, "g.py", "f", {}),
    ]
    for call in calls:
        with pytest.raises(ConfigurationError, match="--safe"):
            call()
    assert not (tmp_path / "loaded").exists()


@pytest.mark.parametrize(
    ("file", "function", "arguments", "says"),
    [
        ("gone.py", "f", {}, "'gone.py' was not found"),
        ("text.txt", "f", {}, "ends in .py: not 'text.txt'"),
        ("f.py", "encdoe", {}, "there is no function 'encdoe'. Did you mean 'encode'?"),
        ("f.py", "NUMBER", {}, "this is no function: 'NUMBER'"),
        ("f.py", "encode", {}, "missing a required argument: 'text'. It is declared as encode(text, prefix"),
        ("f.py", "greet", {"nmae": 1}, "greet cannot be called with these arguments"),
        ("broken.py", "f", {}, "broken.py, line 2:"),
        ("imports.py", "f", {}, "imports.py, line 1: it cannot be loaded: ModuleNotFoundError: No module"),
        ("nul.py", "f", {}, "nul.py"),
        ("folder.py", "f", {}, "folder.py cannot be read"),
    ],
)
def test_what_cannot_be_called_is_known_before(
    tmp_path: Path, files: FunctionFiles, file: str, function: str, arguments: dict[str, Any], says: str
) -> None:
    (tmp_path / "broken.py").write_text("x = 1\ny = = 2\n")
    (tmp_path / "imports.py").write_text("import there_is_no_such_module\n")
    (tmp_path / "nul.py").write_bytes(b"x = 1\0\n")
    (tmp_path / "folder.py").mkdir()
    for use in (files.check, files.call):
        with pytest.raises(ConfigurationError) as caught:
            use(file, function, arguments)
        assert says in str(caught.value)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("number", "number of f.py should return a text, not int."),
        ("boom", "line 39: boom failed: KeyError: 'no such thing'."),
        ("leave", "line 43: leave failed: SystemExit: 3."),
    ],
)
def test_what_goes_wrong_inside_is_told_with_its_line(files: FunctionFiles, function: str, says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        files.call("f.py", function, {})
    assert says in str(caught.value)


def test_a_built_in_function_that_tells_nothing_of_itself_may_be_called(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("import operator\nf = operator.itemgetter('a')\ng = dict\n")
    files = FunctionFiles(partial(found, tmp_path))
    files.check("b.py", "g", {"a": "x"})
    with pytest.raises(ConfigurationError, match="should return a text, not dict"):
        files.call("b.py", "g", {"a": "x"})
