"""A workspace on disk and the real command line run on it: what stories are told with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Ran:
    """What one command printed and how it ended."""

    code: int
    out: str
    err: str

    def succeeded(self) -> Ran:
        assert self.code == 0, f"exit {self.code}\n{self.out}\n{self.err}"
        assert "Traceback" not in self.err, self.err
        return self

    def failed(self, code: int = 1) -> Ran:
        assert self.code == code, f"exit {self.code}, not {code}\n{self.out}\n{self.err}"
        assert "Traceback" not in self.err, self.err
        return self


class ProjectFolder:
    """A workspace written from a mapping of file names to texts."""

    def __init__(self, path: Path, files: Mapping[str, str]) -> None:
        self.path = path
        for name, text in files.items():
            file = path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text), encoding="utf-8")

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
        """`sensei-kumite --run-from-yaml <here> ...` in a process of its own."""
        return command("--run-from-yaml", str(self.path), *arguments, env=env)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """The same, without waiting for its end."""
        return subprocess.Popen(
            [*_COMMAND, "--run-from-yaml", str(self.path), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environment({}),
        )

    def suite(self) -> list[Any]:
        """The five documents of the latest run."""
        newest = max(
            self.path.glob("output/security_reports/*/*/*.yml"), key=lambda path: path.stat().st_mtime_ns
        )
        return list(yaml.load_all(newest.read_text(encoding="utf-8"), Loader=_FASTEST))

    def results(self) -> list[dict[str, Any]]:
        """The results of the latest run, in configured order."""
        found = self.suite()[4]["security_results"]
        assert isinstance(found, list)
        return found

    def statuses(self) -> dict[str, str]:
        """The status of every case of the latest run, by case id."""
        return {result["case_id"]: result["status"] for result in self.results()}

    def journal(self) -> list[dict[str, Any]]:
        """The lines of the latest results.jsonl, in the order they were written."""
        newest = max(
            self.path.glob("output/security_reports/*/*/results.jsonl"),
            key=lambda path: path.stat().st_mtime_ns,
        )
        return [json.loads(line) for line in newest.read_text().splitlines()]


_FASTEST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_COMMAND = [sys.executable, "-m", "sensei_kumite"]


def command(*arguments: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run `sensei-kumite` with these arguments in a process of its own."""
    done = subprocess.run(
        [*_COMMAND, *arguments], capture_output=True, text=True, timeout=100, env=_environment(env or {})
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1", "COLUMNS": "160", **extra}
