"""`dynamic`: the entries of a file, each with its own judge, made for dynamic attacks to start from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path, PurePath
from typing import ClassVar

from sensei_kumite.attacks.base import ATTACKS, Attack, AttackParams, Draft, Prompt
from sensei_kumite.attacks.entries.entry import Entry, EntryReader
from sensei_kumite.attacks.entries.records import SUFFIXES
from sensei_kumite.attacks.entries.survey import Survey, read_entries, survey
from sensei_kumite.errors import ConfigurationError, Place, Problem
from sensei_kumite.models import OracleSpec


@ATTACKS.register("dynamic")
class DynamicEntries(Attack[AttackParams]):
    """Sends the content of every entry, the whole file once per attempt."""

    description = "Sends the entries of a file (JSON Lines or YAML), as tools with dynamic attacks use them."
    takes_source = True
    default_oracle: ClassVar = OracleSpec("refusal_detection")

    def prompts(self) -> Iterator[Draft]:
        """Pass after pass through the file, which is read anew for each."""
        for attempt in range(1, self.context.attempts + 1):
            ending = f"_attempt_{attempt}" if self.context.attempts > 1 else ""
            for entry in read_entries(self._path, self._reader(checks=False)):
                yield _prompt(entry, ending)

    @property
    def report_name(self) -> str:
        """The name of the file."""
        return PurePath(self.entry.source).stem if self.entry.source else self.entry.name

    @property
    def summary(self) -> str:
        """How many entries a pass has."""
        count = self._survey.count
        return f"{self.description} ({count} {'entry' if count == 1 else 'entries'})"

    @property
    def has_turns(self) -> bool:
        """Whether any entry is a list of turns."""
        return self._survey.has_turns

    def problems(self) -> list[Problem]:
        """What is wrong with the entry of the campaign and with those of the file."""
        return [*super().problems(), *self._survey.problems]

    @cached_property
    def _survey(self) -> Survey:
        try:
            return survey(self._path, self._reader(checks=True))
        except ConfigurationError as error:
            return Survey(0, tuple(error.problems))

    @cached_property
    def _path(self) -> Path:
        """The file; raises ConfigurationError where there is none of its kind."""
        source = self.entry.source
        if not source:
            message, hint = "no file of entries is named.", "Write source: attacks/<file>.jsonl."
            raise ConfigurationError([Problem(message, hint=hint)])
        path = self._found(source)
        if path.suffix.lower() not in SUFFIXES:
            message = f"a file of entries ends in {', '.join(SUFFIXES)}, not {path.suffix or path.name!r}."
            raise ConfigurationError([Problem(message, Place(path))])
        return path

    def _found(self, source: str) -> Path:
        """As other files, or else among the attacks."""
        try:
            return self.context.resolve(source)
        except ConfigurationError as error:
            with suppress(ConfigurationError):
                return self.context.resolve(f"attacks/{source}")
            raise error from None

    def _reader(self, *, checks: bool) -> EntryReader:
        return EntryReader(
            check_oracle=self.context.check_oracle if checks else None,
            is_judged=self.entry.oracle is not None,
            plays_turns=self.entry.dynamic is not None,
        )


def _prompt(entry: Entry, ending: str) -> Prompt:
    told = entry.data.get("system_message")
    metadata = {"entry": entry.data, **({"system_message": told} if told else {})}
    return Prompt(entry.text, metadata, f"{entry.case_id}{ending}", entry.oracle)
