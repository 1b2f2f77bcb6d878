"""Which files an entry means: one, or all of a folder in name order."""

from __future__ import annotations

from pathlib import Path

import pytest

from sensei_kumite.attacks.queries.sources import Source, read_source
from sensei_kumite.errors import ConfigurationError, Problem
from sensei_kumite.files import resolve_path

FILE = "Tests: [{Query: x, Weight: Potential}]"


def read(folder: Path, source: str | None, *, within: Path | None = None) -> Source:
    return read_source(source, lambda name: resolve_path(name, [folder], within=within), lambda *_: [])


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(FILE)


def complaints(source: Source) -> list[str]:
    of_files = [problem for file in source.files.values() for problem in file.problems]
    return [str(problem) for problem in (*source.problems, *of_files)]


@pytest.mark.parametrize("name", ["q.yml", "q.yaml", "Q.YML", ".hidden.yml"])
def test_a_file_is_read(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    found = read(tmp_path, name)
    assert (list(found.files), found.is_folder, complaints(found)) == ([name], False, [])
    assert len(found.files[name].tests) == 1


@pytest.mark.parametrize("source", ["queries", "queries/"])
def test_a_folder_means_its_yaml_files_in_name_order(tmp_path: Path, source: str) -> None:
    write(tmp_path, *[f"queries/{name}" for name in ("b.yml", "a.yaml", "B.yml", "10.yml", "9.yml")])
    write(
        tmp_path,
        *[f"queries/{name}" for name in ("notes.md", ".b.yml", "._b.yml", "inner/c.yml", "c.yml.bak")],
    )
    found = read(tmp_path, source)
    assert list(found.files) == [
        f"queries/{name}" for name in ("10.yml", "9.yml", "B.yml", "a.yaml", "b.yml")
    ]
    assert found.is_folder
    assert complaints(found) == []


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (None, "no query file is named. Write source: attacks/<file>.yml"),
        ("", "no query file is named"),
        ("gone.yml", "'gone.yml' was not found"),
        ("notes.md", "a query file ends in .yml or .yaml, not '.md'."),
        ("empty", "this folder holds no query file (.yml or .yaml)."),
    ],
)
def test_a_source_that_cannot_work_says_why(tmp_path: Path, source: str | None, says: str) -> None:
    write(tmp_path, "notes.md", "empty/notes.md")
    [problem] = complaints(read(tmp_path, source))
    assert says in problem


def test_a_folder_that_cannot_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", denied)
    [problem] = complaints(read(tmp_path, "."))
    assert problem.endswith("this folder cannot be read: Permission denied.")


def test_the_mistakes_of_all_files_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a.yml", "b.yml", "c.yml")
    (tmp_path / "a.yml").write_text("Tests: []")
    (tmp_path / "c.yml").write_bytes(b"\xff")
    first, second = complaints(read(tmp_path, "."))
    assert "a.yml:1:8" in first
    assert "c.yml:1: this is not UTF-8" in second


def test_no_file_of_a_folder_leads_out_of_a_workspace_that_is_not_trusted(tmp_path: Path) -> None:
    write(tmp_path, "secret.yml", "work/queries/a.yml")
    (tmp_path / "work" / "queries" / "b.yml").symlink_to(tmp_path / "secret.yml")
    found = read(tmp_path / "work", "queries", within=tmp_path / "work")
    assert found.files["queries/b.yml"].tests == ()
    [problem] = complaints(found)
    assert "--safe" in problem


def test_a_file_that_vanishes_is_its_own_problem(tmp_path: Path) -> None:
    write(tmp_path, "queries/a.yml", "queries/b.yml")

    def resolve(name: str) -> Path:
        if name.endswith("a.yml"):
            raise ConfigurationError([Problem("was not found.")])
        return tmp_path / name

    found = read_source("queries", resolve, lambda *_: [])
    assert complaints(found) == ["was not found."]
    assert len(found.files["queries/b.yml"].tests) == 1
