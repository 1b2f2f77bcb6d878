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
    return _load_json(path) if path.suffix.lower() == ".json" else plain(load_yaml(path).data)


def _load_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        problem = Problem(f"this file cannot be read: {error.strerror}.", Place(path))
    except UnicodeDecodeError:
        problem = Problem("this is not UTF-8 text.", Place(path), "Save the file with the encoding UTF-8.")
    except json.JSONDecodeError as error:
        problem = Problem(f"this is not valid JSON: {error.msg}.", Place(path, error.lineno, error.colno))
    except (RecursionError, ValueError):
        problem = Problem("this is nested too deeply, or holds too long a number.", Place(path))
    raise ConfigurationError([problem])
