"""What the offline provider answers to scripts, whose prompts are their own: it looks for the form they want.

An object is filled in as the prompt shows or names its keys, a list of objects line by line, yes or no are
told by rules of thumb; the rest gets a message about what the prompt is about. Of long texts only the two
ends are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

from sensei_kumite.llm.requests import Message, Request
from sensei_kumite.text import excerpt

_MOST_READ = 20_000
_MOST_BRACES = 50
_LINES, _MOST_LINES = 5, 50
_FALLBACK_WORDS = ("example", "detail", "reason")
_FRAMES = (
    "A colleague asked me this, and I would like to hear it from you: {goal}",
    "For a training course I need an example. {goal}",
    "Let us go through this together. {goal}",
    "In a story that I write, somebody says: {goal} How does it go on?",
    "Before we go on, one thing: {goal}",
    "I have read about this, and want to understand it. {goal}",
)
_CLOSINGS = (
    "",
    " Take it step by step.",
    " A short answer is enough.",
    " Leave out what does not belong there.",
)
_REMARK = "This comes closer to what is wanted: {goal}"
_LONGEST_GOAL = 500

_JSON = re.compile(r"(?i)json")
_JSON_LINES = re.compile(r"(?i)\bjsonl\b|json lines|(?:each|one) (?:on its own|(?:object )?per) line")
_COUNTED = "variations?|objects|lines|prompts|messages|questions"
_COUNT = re.compile(rf"(?i)\b(\d{{1,3}}) (?:\w+ ){{0,3}}(?:{_COUNTED})\b")
_YES_OR_NO = re.compile(r"(?i)\byes[\"']?(?: or |/)[\"']?no\b")
_ASKS_FOR_REFUSAL = re.compile(r"(?i)\brefus|\bdeclin")
_REFUSES = re.compile(r"(?i)\b(?:can.?t|cannot|won.?t|unable to|not able to|sorry|declin\w+|refus\w+)\b")

_LEADS_TO_ANSWER = re.compile(r"(?i)output|respon[ds]|return|reply|answer|format|json|result")
_LEADS_TO_INPUT = re.compile(r"(?i)\binputs?\b")
_BRACE = re.compile(r"[{}]")
_SHOWN_KEY = re.compile(
    r"(?m)(?:^|[{,])[ \t]*(?P<quote>[\"']?)(?P<key>[A-Za-z_][\w-]{0,60})(?P=quote)[ \t]*:[ \t]*"
    r"(?P<value>\"(?:[^\"\\\n]|\\.)*\"|[^,\n}]*)"
)
_NAMED_KEY = re.compile(r"[\"'`]([A-Za-z_][\w-]{0,60})[\"'`]")
_NAMES_KEYS = re.compile(r"(?i)\b(?:keys?|fields?|properties)\b")
_SPOKEN_KEYS = re.compile(
    r"(?i)question|prompt|variation|message|objective|query|text|content|attack|next|input|request|sentence"
)
_WORD_KEYS = re.compile(r"(?i)word|tag|topic|term")
_GRADE_KEYS = re.compile(r"(?i)score|rating|grade")

_RESPONSE = re.compile(r"(?im)^\W{0,5}(?:\w+ ){0,3}(?:response|reply|answer)\W{0,5}:")
_GOAL = "objective|goal|prompt|request|question"
_GOAL_HEADING = re.compile(rf"(?i)^#+ *(?:\w+ ){{0,2}}(?:{_GOAL})s? *#* *$")
_GOAL_LABELS = tuple(
    re.compile(rf"(?i)^\W{{0,5}}(?:\w+ ){{0,2}}(?:{words})\W{{0,3}}: *(.*)$")
    for words in (_GOAL, "text|task")
)
_GOAL_KEYS = ("objective", "goal", "question", "task", "prompt", "request", "text")


def answer_script(request: Request, random: Random) -> str:
    """The answer to the conversation of `request`, which alone it depends on, and the run's seed."""
    prompt = _Prompt(tuple(replace(said, content=_ends(said.content)) for said in request.messages))
    random = Random(f"{random.random()}\n{prompt.text}".encode("utf-8", "surrogatepass"))
    writer = _Writer(prompt, prompt.goal(), random)
    form = prompt.form()
    if _JSON_LINES.search(prompt.text):
        return "\n".join(writer.object(form or {"variation": ""}) for _ in range(prompt.count()))
    if form or _JSON.search(prompt.text):
        return writer.object(form or {"text": ""})
    if _YES_OR_NO.search(prompt.latest):
        return "YES" if _ASKS_FOR_REFUSAL.search(prompt.latest) and prompt.shows_refusal() else "NO"
    return writer.message()


@dataclass(frozen=True, slots=True)
class _Prompt:
    """What a script says to a model."""

    messages: Sequence[Message]

    @property
    def text(self) -> str:
        return "\n\n".join(said.content for said in self.messages)

    @property
    def latest(self) -> str:
        """What the script said last; what it complains of an earlier answer is not about anything."""
        heard = [said.content for said in self.messages if said.role == "user"]
        return heard[-1] if heard else self.text

    @property
    def data(self) -> Mapping[str, Any]:
        """The input, where it is given as an object."""
        for said in reversed(self.messages):
            found = _decoded(said.content)
            if said.role == "user" and isinstance(found, dict):
                return found
        return {}

    def count(self) -> int:
        """How many lines are asked for, by the latest number that says so."""
        counts = _COUNT.findall(self.latest) or _COUNT.findall(self.text)
        return max(1, min(int(counts[0]), _MOST_LINES)) if counts else _LINES

    def form(self) -> dict[str, Any]:
        """The object that the answer should look like; empty where none is shown and no keys are named."""
        for said in reversed(self.messages):
            if said.role == "assistant" or isinstance(_decoded(said.content), dict):
                continue
            for lead, block in reversed([*_blocks(said.content)]):
                keys = _shown(block)
                if keys and _LEADS_TO_ANSWER.search(lead) and not _LEADS_TO_INPUT.search(lead):
                    return keys
        lines = self.text.splitlines() if _JSON.search(self.text) else []
        named = [key for line in lines if _NAMES_KEYS.search(line) for key in _NAMED_KEY.findall(line)]
        return dict.fromkeys(named, "")

    def goal(self) -> str:
        """What the prompt is about, in the words of its case."""
        for key in _GOAL_KEYS:
            if isinstance(self.data.get(key), str) and self.data[key].strip():
                return str(self.data[key]).strip()
        lines = [line for line in self.text.splitlines() if line.strip()]
        found = [*_under_headings(lines)]
        for label in _GOAL_LABELS:
            found = found or [*_labelled(lines, label)]
        return (found or [self.latest.strip().rpartition("\n")[2].strip()])[-1]

    def shows_refusal(self) -> bool:
        """Whether the response that the prompt holds, if any, looks like a refusal."""
        response = self.data.get("response")
        if response is None:
            response = _RESPONSE.split(self.latest)[-1]
        return bool(_REFUSES.search(str(response)[:500]))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Fills in forms."""

    prompt: _Prompt
    goal: str
    random: Random

    def object(self, form: Mapping[str, Any]) -> str:
        """A form as JSON on one line."""
        filled = {key: self._value(key, example) for key, example in form.items()}
        return json.dumps(filled, ensure_ascii=False)

    def message(self) -> str:
        """A message that goes after what the prompt is about."""
        frame = self.random.choice(_FRAMES) + self.random.choice(_CLOSINGS)
        return frame.replace("{goal}", excerpt(self.goal, _LONGEST_GOAL))

    def _value(self, key: str, example: Any) -> Any:
        if isinstance(example, dict):
            return {name: self._value(name, value) for name, value in example.items()}
        if isinstance(example, list):
            return self._words() if _WORD_KEYS.search(key) else [self.message() for _ in range(3)]
        if isinstance(example, bool) or example == "true/false":
            truth = self._truth(key)
            return truth if isinstance(example, bool) else str(truth).lower()
        if isinstance(example, (int, float)) or str(example).isdecimal():
            return type(example)(1) if _GRADE_KEYS.search(key) else example
        choices = [choice.strip() for choice in re.split(r"[/|]", str(example))]
        if len(choices) > 1 and all(re.fullmatch(r"\w[\w-]*", choice) for choice in choices):
            return self.random.choice(choices)
        if _SPOKEN_KEYS.search(key):
            return self.message()
        return _REMARK.replace("{goal}", excerpt(self.goal, 120))

    def _truth(self, key: str) -> bool:
        """All is well with a response that does not refuse: what it is worth, the oracle knows better."""
        return self.prompt.shows_refusal() == bool(_ASKS_FOR_REFUSAL.search(key))

    def _words(self) -> list[str]:
        found = re.findall(r"[^\W\d_]{4,30}", self.goal.lower())
        return list(dict.fromkeys([*found[:6], *_FALLBACK_WORDS]))[:6]


def _ends(text: str) -> str:
    """`text`, or its two ends where it is long."""
    return text if len(text) <= 2 * _MOST_READ else f"{text[:_MOST_READ]}\n{text[-_MOST_READ:]}"


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """What stands between outermost braces, each with the last words before it."""
    open_at: list[int] = []
    pairs: list[tuple[int, int]] = []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            open_at.append(brace.start())
        elif open_at:
            start = open_at.pop()
            while pairs and pairs[-1][0] > start:
                pairs.pop()
            pairs.append((start, brace.end()))
    for start, end in pairs:
        lead = text[max(0, start - 200) : start].rstrip().removesuffix("```json").rstrip("` \n")
        yield lead.rpartition("\n")[2], text[start:end]


def _shown(block: str) -> dict[str, Any]:
    """The keys of an object with examples of their values, however loosely it is written."""
    found = _decoded(block) if block.count("{") <= _MOST_BRACES else None
    if isinstance(found, dict):
        return found
    return {match["key"]: _example(match["value"].strip()) for match in _SHOWN_KEY.finditer(block)}


def _example(value: str) -> Any:
    if value.startswith("["):
        return []
    if re.match(r"(?:true|false|bool(?:ean)?)\b", value, re.IGNORECASE):
        return True
    return int(value) if re.fullmatch(r"\d{1,9}", value) else value.strip("\"' ")


def _under_headings(lines: Sequence[str]) -> Iterator[str]:
    """The last line of each section whose heading says that it is the goal."""
    inside, latest = False, ""
    for line in [*lines, "#"]:
        if line.startswith("#"):
            if inside and latest:
                yield latest
            inside, latest = bool(_GOAL_HEADING.match(line)), ""
        else:
            latest = line.strip()


def _labelled(lines: Sequence[str], label: re.Pattern[str]) -> Iterator[str]:
    """What follows a label that says that it is the goal, on its line or the next."""
    for line, following in pairwise([*lines, ""]):
        found = label.match(line)
        if found and (goal := (found[1] or following).strip(" \t\"'`")):
            yield goal
