"""Runs a command to its end and says what it cost, by the operating system's own accounting."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """Wall and CPU seconds, peak resident memory in MB, and what was printed."""

    wall: float
    cpu: float
    memory: float
    out: str


def measure(command: list[str]) -> Cost:
    """Run `command`, as it runs where it is installed: with compiled modules; raises when it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None and process.stderr is not None
    out = process.stdout.read()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    if process.returncode:
        sys.exit(f"{' '.join(command)} failed with {process.returncode}:\n{errors}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out)
