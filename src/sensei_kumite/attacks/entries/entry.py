"""An entry checked: what it sends, who judges the answer, and what the search is given of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, ValidationError

from sensei_kumite.attacks.entries.judges import CANARY, REGEX, oracle_of, regex_oracle
from sensei_kumite.attacks.entries.records import Record
from sensei_kumite.attacks.entries.where import Where
from sensei_kumite.config.fields import Block, Text, shown
from sensei_kumite.config.problems import problems_from
from sensei_kumite.errors import Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_nodes import Node
from sensei_kumite.yaml_reader import Document, YamlPath
from sensei_kumite.yaml_scalars import plain

CheckOracle = Callable[[OracleSpec, Document, YamlPath], list[Problem]]

_EXCLUDED = "exclude_from_transformations_regex"
_UNKNOWN = "Unknown oracle"
_TEXTS = ("id", "content", "text", "payload", "system_message")


@dataclass(frozen=True, slots=True)
class Entry:
    """A sound entry. `data` is all that it says, as plain data; `oracle` is None for that of the campaign."""

    case_id: str
    text: str
    data: dict[str, Any]
    oracle: OracleSpec | None

    @property
    def is_talk(self) -> bool:
        """Whether it is a list of turns."""
        return isinstance(self.data.get("content", self.data.get("text")), list)


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _said(value: Any) -> Any:
    """A text as it is; of turns what the user says."""
    if not isinstance(value, (list, dict)):
        return value
    turns = value if isinstance(value, list) else []
    said = [
        turn.get("content") if isinstance(turn, dict) else turn for turn in turns if _is_of_the_user(turn)
    ]
    if not said or not all(isinstance(text, str) and text.strip() for text in said):
        raise ValueError(
            "should be a text or a list of turns, each a text or a mapping of role and content, "
            "and at least one of the user"
        )
    return said


def _is_of_the_user(turn: Any) -> bool:
    return not isinstance(turn, dict) or turn.get("role", "user") == "user"


def _only_text(kind: str) -> str:
    if kind != "text":
        raise ValueError(f"{shown(kind)} cannot be sent, for targets are sent text")
    return kind


def _one_or_more(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


Said = Annotated[Annotated[Text, AfterValidator(_filled)] | list[str], BeforeValidator(_said)]


class _Keys(Block):
    """What we read of an entry; its other keys are for the search."""

    model_config = ConfigDict(extra="allow")

    id: Annotated[Text, AfterValidator(_filled)] | None = None
    content: Said | None = None
    text: Said | None = None
    content_type: Annotated[Text, AfterValidator(_only_text)] = "text"
    payload: Text | None = None
    system_message: Text | None = None
    judge_name: Text | None = None
    judge_args: Any = None
    exclude_from_transformations_regex: Annotated[list[Text], BeforeValidator(_one_or_more)] | None = None


@dataclass(slots=True)
class EntryReader:
    """Reads the entries of one file. `check_oracle` gives the problems of an oracle; without it, nobody looks
    for them.

    With `is_judged`, the campaign has an oracle for all entries, and what they say of theirs is not read;
    `plays_turns` says that there is a search to which conversations can be given.
    """

    check_oracle: CheckOracle | None
    is_judged: bool
    plays_turns: bool
    _sound: set[str] = field(default_factory=set)

    def read(self, record: Record) -> tuple[Entry | None, list[Problem]]:
        """The entry, or what is wrong with it."""
        where = Where(record)
        try:
            keys = _Keys.model_validate(record.value)
        except ValidationError as error:
            return None, problems_from(error, record.document, record.path, where.label)
        said = keys.text if keys.content is None else keys.content
        oracle, problems = self._judge(keys, where)
        problems += [*self._of_content(said, where), *self._of_patterns(keys, where)]
        if problems or said is None:
            return None, problems
        return _entry(record, keys, said, oracle), []

    def _of_content(self, said: str | list[str] | None, where: Where) -> Iterator[Problem]:
        if said is None:
            yield where.problem("the key 'content' is missing.")
        elif isinstance(said, list) and not self.plays_turns:
            message = f"is a conversation ({len(said)} turns), which needs a search that plays it."
            hint = "Add dynamic: {attack: multi_turn} to the attack in the campaign."
            yield where.problem(message, "content", "text", hint=hint)

    def _of_patterns(self, keys: _Keys, where: Where) -> Iterator[Problem]:
        for pattern in keys.exclude_from_transformations_regex or ():
            if pattern and pattern not in self._sound:
                problems = self._of_oracle(regex_oracle([pattern]), where, _EXCLUDED, is_ours=False)
                yield from problems
                if not problems:
                    self._sound.add(pattern)

    def _judge(self, keys: _Keys, where: Where) -> tuple[OracleSpec | None, list[Problem]]:
        if self.is_judged:
            return None, []
        try:
            oracle = oracle_of(keys.judge_name, keys.judge_args)
        except ValueError as error:
            unknown = self._unknown(keys.judge_name, where)
            return None, unknown or [where.problem(f"{error}.", "judge_args", "judge_name")]
        if oracle is None:
            hint = "Add judge_name and judge_args, or give the attack in the campaign an oracle."
            return None, [where.problem("nothing says who judges the answer.", hint=hint)]
        is_ours = oracle.type == keys.judge_name
        return oracle, self._of_oracle(oracle, where, "judge_args", is_ours=is_ours)

    def _unknown(self, judge: str | None, where: Where) -> list[Problem]:
        """That there is no judge of this name, where there is none."""
        found = [] if judge in (None, CANARY, REGEX) else self._checked(OracleSpec(str(judge)), where)
        return [where.unknown_judge(problem) for problem in found if problem.message.startswith(_UNKNOWN)]

    def _of_oracle(self, oracle: OracleSpec, where: Where, key: str, *, is_ours: bool) -> list[Problem]:
        return [
            where.unknown_judge(problem)
            if problem.message.startswith(_UNKNOWN)
            else where.of_oracle(problem, key, is_ours=is_ours)
            for problem in self._checked(oracle, where)
        ]

    def _checked(self, oracle: OracleSpec, where: Where) -> list[Problem]:
        """What is wrong with an oracle, told of one that stands in a file as our own do."""
        if self.check_oracle is None:
            return []
        written = {"type": oracle.type, "params": dict(oracle.params)}
        place = where.place("judge_name")
        spot = ((place.line or 1) - 1, (place.column or 1) - 1)
        return self.check_oracle(oracle, Document(place.file, written, Node(written, spot)), ())


def _entry(record: Record, keys: _Keys, said: str | list[str], oracle: OracleSpec | None) -> Entry:
    """A number where a text belongs is the text as it was typed."""
    typed = {key: getattr(keys, key) for key in _TEXTS if isinstance(record.value.get(key), (int, float))}
    return Entry(
        case_id=keys.id or f"dynamic_{record.number}",
        text=said if isinstance(said, str) else said[-1],
        data={**plain(record.value), **typed},
        oracle=oracle,
    )
