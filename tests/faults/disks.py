"""Disks that are small, full or read-only, where this user may mount some; limits of a process anywhere."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def limit_files(process: subprocess.Popen[str], size: int) -> None:
    """No file that `process` writes may grow beyond `size` bytes from now on."""
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, size))


def mount(folder: Path, options: str) -> None:
    """Mount a disk in memory at `folder`, or change the one there; skips the test where that is refused."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip(f"this user may not mount a disk: {done.stderr.strip()}")


@contextmanager
def disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of that size at `folder`."""
    folder.mkdir(parents=True)
    mount(folder, f"size={size}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)
