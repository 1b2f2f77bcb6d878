"""The rules of the house, kept by reading the source: layers, cycles, sizes, docstrings, broad handlers."""

from __future__ import annotations

import ast
import graphlib
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "sensei_kumite"
LAYERS = {
    "__init__": 0,
    "errors": 0,
    "registry": 0,
    "text": 0,
    "files": 0,
    "yaml_scalars": 0,
    "yaml_nodes": 0,
    "yaml_reader": 0,
    "models": 1,
    "config": 2,
    "llm": 3,
    "targets": 4,
    "oracles": 5,
    "attacks": 5,
    "delivery": 6,
    "dynamic": 6,
    "engine": 7,
    "reports": 8,
    "cli": 9,
    "__main__": 9,
}
SIBLINGS = {("oracles", "attacks"), ("attacks", "oracles"), ("delivery", "dynamic")}
REPORTS_MAY_IMPORT = {0, 1, 2, 8}
BROAD_HANDLERS = {
    "attacks/custom/functions.py",
    "engine/case.py",
    "engine/runner.py",
    "engine/watchdog.py",
    "dynamic/host.py",
    "targets/python.py",
    "targets/python_file.py",
}
THREADS_ONLY_IN = {"engine", "cli"}
MODULES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text())
    for path in SOURCE.rglob("*.py")
    if path.relative_to(SOURCE).parts[0] != "resources"  # data: samples that go to new workspaces
}


def name_of(path: str) -> str:
    dotted = "sensei_kumite." + path.removesuffix(".py").replace("/", ".")
    return dotted.removesuffix(".__init__")


NAMES = {name_of(path): path for path in MODULES}


def imported(tree: ast.AST) -> set[str]:
    """Every module of ours that is imported anywhere in `tree`, in functions too; not for types only."""
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found: set[str] = set()
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {
                inner if (inner := f"{node.module}.{alias.name}") in NAMES else node.module
                for alias in node.names
            }
    return {name for name in found if name in NAMES}


def part(module: str) -> str:
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


@pytest.mark.parametrize("path", sorted(MODULES))
def test_imports_point_one_way(path: str) -> None:
    here = part(name_of(path))
    for target in imported(MODULES[path]):
        there = part(target)
        if there == here or target == "sensei_kumite":
            continue
        assert LAYERS[there] <= LAYERS[here], f"{path} imports {target}, which is above it"
        assert (here, there) not in SIBLINGS, f"{path} imports its sibling {target}"
        if here == "reports":
            assert LAYERS[there] in REPORTS_MAY_IMPORT, f"{path} imports {target}"


def test_there_are_no_cycles() -> None:
    graph = {name: imported(MODULES[path]) - {name} for name, path in NAMES.items()}
    list(graphlib.TopologicalSorter(graph).static_order())


@pytest.mark.parametrize("path", sorted(MODULES))
def test_files_and_functions_stay_small(path: str) -> None:
    tree = MODULES[path]
    assert len((SOURCE / path).read_text().splitlines()) <= 350
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno is not None
            length = node.end_lineno - node.lineno + 1
            assert length <= 50, f"{path}:{node.lineno} {node.name} has {length} lines"


@pytest.mark.parametrize("path", sorted(MODULES))
def test_every_module_says_what_belongs_in_it(path: str) -> None:
    docstring = ast.get_docstring(MODULES[path])
    assert docstring and len(docstring) > 20


@pytest.mark.parametrize("path", sorted(set(MODULES) - BROAD_HANDLERS))
def test_broad_handlers_stand_only_at_boundaries(path: str) -> None:
    if path.startswith("cli/"):
        return
    for node in ast.walk(MODULES[path]):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "everything"
            re_raises = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
            is_broad = {"Exception", "BaseException", "everything"} & set(re.findall(r"\w+", caught))
            assert re_raises or not is_broad, f"{path}:{node.lineno}"


@pytest.mark.parametrize("path", sorted(MODULES))
def test_threads_are_started_in_the_engine_only(path: str) -> None:
    if part(name_of(path)) in THREADS_ONLY_IN:
        return
    for node in ast.walk(MODULES[path]):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        assert not called.endswith(("threading.Thread", "ThreadPoolExecutor")), f"{path}:{node.lineno}"


def test_no_module_holds_a_global_statement() -> None:
    for path, tree in MODULES.items():
        assert not any(isinstance(node, ast.Global) for node in ast.walk(tree)), path
