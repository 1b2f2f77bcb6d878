"""What people get wrong is named with its place, all at once and sorted; nothing is written.

`bad_input.yml` holds the workspaces and the answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from sensei_kumite.cli.main import main

TABLE: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("bad_input.yml").read_text("utf-8"))
CAMPAIGN, CASES = "security/security.yml", "security/attacks/a.yml"
GOOD = {
    "run.yml": "technology: rasa\nconnector_params: base_url=http://127.0.0.1:1\n",
    CAMPAIGN: "attacks:\n- name: amnesia\n",
}
CUSTOM = "attacks: [{name: custom_benchmark, source: attacks/a.yml, oracle: {type: refusal_detection}}]\n"
BOMB = "a0: &a0 [ha]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 10))
Write = Callable[[Mapping[str, str | bytes | None]], None]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write the workspace `w` with these files put in, or None left out; work in the folder around it."""
    monkeypatch.chdir(tmp_path)

    def write_files(files: Mapping[str, str | bytes | None]) -> None:
        for name, content in {**GOOD, **files}.items():
            if content is not None:
                path = Path("w", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return write_files


def complaints(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """What is said about the workspace; nothing may have been written, or printed as a result."""
    before = sorted(Path().rglob("*"))
    code = main(["--run-from-yaml", "w", *arguments])
    out, err = capsys.readouterr()
    assert (code, out) == (1, ""), err
    assert sorted(Path().rglob("*")) == before
    assert "Traceback" not in err
    return err.splitlines()


def pattern(line: str) -> str:
    return ".*".join(re.escape(part.strip()) for part in line.split("…"))


@pytest.mark.parametrize("arguments", [["--validate-only"], []], ids=["validate", "run"])
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["case"])
def test_a_bad_workspace(
    write: Write, capsys: pytest.CaptureFixture[str], row: dict[str, Any], arguments: list[str]
) -> None:
    write(row["files"])
    said, expected = complaints(capsys, *arguments), row["says"].splitlines()
    for line, wanted in zip(said, expected, strict=False):
        assert re.match(pattern(wanted), line), f"{line}\ndoes not say\n{wanted}"
    assert len(said) == len(expected), said


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\x89PNG\r\n\x1a\n\0", ":1: this is not UTF-8 text"),
        (b"# ok\n# \xe9\n", ":2: this is not UTF-8 text"),
        (b"a: \0\n", ":1:4: the character U+0000"),
        (f"{BOMB}{GOOD[CAMPAIGN]}", ": … the aliases (*name) in this value repeat too much"),
        (f"attacks: {'[' * 5000}{']' * 5000}\n", ":1: … nest"),
    ],
    ids=["binary", "latin-1", "control character", "billion laughs", "bottomless"],
)
@pytest.mark.parametrize("name", ["run.yml", CAMPAIGN, CASES])
def test_a_file_that_is_no_configuration(
    write: Write, capsys: pytest.CaptureFixture[str], name: str, content: str | bytes, says: str
) -> None:
    write({CAMPAIGN: CUSTOM, CASES: "cases: [{prompt: x}]\n", name: content})
    (said,) = complaints(capsys, "--validate-only")
    assert re.match(pattern(f"w/{name}{says}"), said), said


@pytest.mark.parametrize("name", ["run.yml", CAMPAIGN, CASES])
def test_a_folder_in_place_of_a_file(write: Write, capsys: pytest.CaptureFixture[str], name: str) -> None:
    write({CAMPAIGN: CUSTOM, CASES: "cases: [{prompt: x}]\n", name: None})
    Path("w", name).mkdir(parents=True)
    (said,) = complaints(capsys, "--validate-only")
    assert said.startswith(f"w/{name}: this is a folder where a file belongs")


def test_no_value_of_a_key_is_repeated(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        {
            "run.yml": "technology: langgraph\nconnector_params: base_url=ftp://me:hush@host,api_kee=hush\n",
            CAMPAIGN: f"judge: {{api_key_env: sk-hush}}\n{GOOD[CAMPAIGN]}",
        }
    )
    said = complaints(capsys, "--validate-only")
    assert len(said) == 3
    assert "hush" not in "".join(said)
