"""JSON and YAML files that parameters name, read as plain data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.yaml_reader import load_yaml
from sensei_kumite.yaml_scalars import plain


def load_data(path: Path) -> Any:
    """What `path` holds: JSON where it is called `.json`, else YAML. Raises ConfigurationError."""
    if path.suffix.lower() != ".json":
        return plain(load_yaml(path).data)
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise ConfigurationError([Problem(f"cannot be read: {error.strerror}.", Place(path))]) from None
    except json.JSONDecodeError as error:
        place = Place(path, error.lineno, error.colno)
        raise ConfigurationError([Problem(f"is not valid JSON: {error.msg}.", place)]) from None
    except UnicodeDecodeError:
        problem = Problem("is not UTF-8 text.", Place(path), "Save the file with the encoding UTF-8.")
        raise ConfigurationError([problem]) from None
    except (RecursionError, ValueError):
        problem = Problem("is nested too deeply, or holds too long a number.", Place(path))
        raise ConfigurationError([problem]) from None
