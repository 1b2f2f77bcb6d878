"""Reading a security.yml: what of it is sound, and everything that is wrong with the rest.

Each block and each attack is validated on its own, so that a broken one does not hide the others.
"""

from __future__ import annotations

from collections.abc import Sequence

from sensei_kumite.config.campaign import AttackEntry, Campaign
from sensei_kumite.config.fields import shown
from sensei_kumite.config.problems import location, validated, validated_parts
from sensei_kumite.errors import Problem
from sensei_kumite.text import did_you_mean
from sensei_kumite.yaml_reader import Document, YamlPath

Entries = tuple[tuple[int, AttackEntry], ...]


def read_campaign(document: Document) -> tuple[Campaign, Entries, list[Problem]]:
    """The sound part of the campaign, its sound attacks with their positions from 0, and all problems."""
    campaign, problems = validated_parts(Campaign, document, skip=("attacks",))
    if not isinstance(document.data, (dict, type(None))):
        return campaign, (), problems
    attacks = (document.data or {}).get("attacks") or []
    if not isinstance(attacks, list):
        message = f"attacks: should be a list (lines that begin with '- '), not {shown(attacks)}."
        return campaign, (), [*problems, Problem(message, document.place(("attacks",), key=True))]
    entries: list[tuple[int, AttackEntry]] = []
    for position in range(len(attacks)):
        entry, found = validated(AttackEntry, document, ("attacks", position), within=Campaign)
        problems += found
        if entry:
            entries.append((position, entry))
    enabled = [(position, entry) for position, entry in entries if entry.enabled]
    if not enabled and len(entries) == len(attacks):
        problems += _nothing_to_test(document)
    problems += _unknown_users(document, enabled)
    problems += _idle_keys(document, enabled)
    return campaign.model_copy(update={"attacks": [entry for _, entry in entries]}), tuple(entries), problems


def _nothing_to_test(document: Document) -> list[Problem]:
    """A campaign that tests nothing must not look like one that found nothing."""
    data = document.data or {}
    if any("'attacks'" in did_you_mean(key, Campaign.known_keys()) for key in data if key != "attacks"):
        return []  # a misspelt key, which is a problem already
    message = "all attacks are disabled" if data.get("attacks") else "no attacks are configured"
    if not data:
        message = "this file is empty: no attacks are configured"
    hint = "sensei-kumite --list-attacks shows what there is."
    return [Problem(f"{message}, so nothing would be tested.", document.place(("attacks",), key=True), hint)]


def _idle_keys(document: Document, entries: Sequence[tuple[int, AttackEntry]]) -> list[Problem]:
    """Mode direct has nobody to warm up; 0.1.2 let such keys stand, so they are no errors."""
    found: list[Problem] = []
    for position, entry in entries:
        key = entry.execution.simulated_key
        if entry.execution.mode == "direct" and key:
            path: YamlPath = ("attacks", position, "execution")
            message = f"{location(document, path)}: {key} has no effect in mode direct."
            found.append(Problem(message, document.place(path), "Set mode: simulated_user.", "warning"))
    return found


def _unknown_users(document: Document, entries: Sequence[tuple[int, AttackEntry]]) -> list[Problem]:
    """A simulated user is described by the entry, or for the whole campaign under `simulation`."""
    simulation = document.data.get("simulation") if document.data else None
    identities = ("reference_profile", "default_profile", "role")
    if isinstance(simulation, dict) and any(simulation.get(key) for key in identities):
        return []
    paths: list[YamlPath] = [
        ("attacks", position, "execution", "mode")
        for position, entry in entries
        if entry.execution.mode == "simulated_user" and not entry.execution.reference_profile
    ]
    return [
        Problem(
            f"{location(document, path[:-1])}: mode simulated_user needs somebody to simulate.",
            document.place(path),
            "Give reference_profile here, or reference_profile or role under simulation.",
        )
        for path in paths
    ]
