"""Paths: finding the files a configuration names, and writing ours so that nobody sees half of one."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sensei_kumite.errors import ConfigurationError, Problem, short_path

_LONGEST_NAME = 150
# What Windows keeps for itself, and the folders of our own among those of campaigns.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|\Z)|__[^\W_]\w*_reports__\Z", re.IGNORECASE)


def resolve_path(name: str, folders: Sequence[Path], *, within: Path | None = None) -> Path:
    """The file or folder `name` in the first of `folders` that has it, symbolic links resolved.

    Raises ConfigurationError where none has it, and where it lies outside of `within`.
    """
    for folder in folders:
        try:
            found = (folder / Path(name).expanduser()).resolve(strict=True)
        except PermissionError:
            problem = Problem(f"{name!r} cannot be read in {short_path(folder)}: permission denied.")
            raise ConfigurationError([problem]) from None
        except (OSError, RuntimeError, ValueError):
            continue  # not there, a loop of links, an unknown ~user, a NUL: nothing to be found here
        if within is not None and not found.is_relative_to(within.resolve()):
            raise ConfigurationError([Problem(f"{name!r} leads out of the workspace, which --safe forbids.")])
        return found
    names = (short_path(folder) for folder in folders)
    searched = ", ".join(dict.fromkeys("the current folder" if name == "." else name for name in names))
    raise ConfigurationError([Problem(f"{name!r} was not found.", hint=f"Searched in: {searched}.")])


@contextmanager
def write_atomically(path: Path) -> Iterator[IO[str]]:
    """Write a file aside and rename it when complete; raises OSError, and then leaves nothing behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with aside.open("x", encoding="utf-8", newline="\n") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def file_name(text: str) -> str:
    """`text` as one path component that every system takes: letters, digits and `._-`, the rest `_`.

    What had to be shortened ends in a hash, so that two long names stay two.
    """
    text = unicodedata.normalize("NFC", text)
    name = "".join(char if char in "._-" or unicodedata.category(char)[0] in "LMN" else "_" for char in text)
    if _RESERVED.match(name) or not name.strip("."):
        name = f"_{name}"
    encoded = name.encode()
    if len(encoded) <= _LONGEST_NAME:
        return name
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{encoded[: _LONGEST_NAME - 9].decode(errors='ignore')}-{digest}"
