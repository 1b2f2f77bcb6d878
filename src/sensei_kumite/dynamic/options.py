"""`key=value,key=value`: how the options of a dynamic attack are written."""

from __future__ import annotations


def parse_options(option: str | None) -> dict[str, str]:
    """The options in `key=value,…`; a part without `=` is no option and is left out.

    A value ends at the next comma that begins another `key=`, so that it may hold commas itself.
    """
    options: dict[str, str] = {}
    latest = ""
    for part in (option or "").split(","):
        key, sign, value = part.partition("=")
        if sign and key.strip():
            latest = key.strip()
            options[latest] = value.strip()
        elif latest and part.strip():
            options[latest] += f",{part.strip()}"
    return options
