"""Everything that can be tested: `technologies()` names it, `build_target()` makes it.

Targets of our own are named here, and those that need the network's libraries imported when used. The
technologies of chatbot-connectors join them at the first look-up, for importing that library costs more
than a whole `--help`.
"""

from __future__ import annotations

from sensei_kumite.targets.base import TARGETS, Target, TargetSettings
from sensei_kumite.targets.dummy import DummyTarget

__all__ = ["DummyTarget", "Target", "TargetSettings", "build_target", "technologies"]

for _name in ("http", "openai", "python"):
    TARGETS.declare(_name, f"{__name__}.{_name}")


def technologies() -> list[str]:
    """The names of all technologies, sorted."""
    _add_connectors()
    return TARGETS.names()


def build_target(technology: str, settings: TargetSettings) -> Target:
    """The target that `technology` names, with its parameters checked; calls nothing on the network.

    Raises UnknownName, and ConfigurationError with everything that is wrong with the parameters.
    """
    if technology not in TARGETS:
        _add_connectors()
    return TARGETS.get(technology)(settings)


def _add_connectors() -> None:
    from sensei_kumite.targets import connectors  # imports requests: 0.2 s

    connectors.register()
