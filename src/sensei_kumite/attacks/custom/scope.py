"""What the placeholders of a case may name, and what is wrong with those of a text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sensei_kumite.attacks.custom.placeholders import found, malformed
from sensei_kumite.attacks.custom.text_files import TextFile
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.errors import Problem
from sensei_kumite.text import did_you_mean, excerpt

CONTEXT = "context.target_context"


class _Complaint(NamedTuple):
    position: int
    message: str
    hint: str | None = None
    severity: Literal["error", "warning"] = "error"


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a case declares; a case that declares `variables` is `strict` about its braces."""

    names: Collection[str] = ()
    strict: bool = False
    target_context: str = ""

    def problems(self, text: str, where: Where) -> Iterator[Problem]:
        """What is wrong with the placeholders of a text in the attack file."""
        for complaint in self._complaints(text):
            yield where.problem(complaint.message, complaint.hint, severity=complaint.severity)

    def problems_of_file(self, file: TextFile, where: Where) -> Iterator[Problem]:
        """The same for a text of a file that the variable at `where` names."""
        for complaint in self._complaints(file.text):
            message = f"{where.label}: {complaint.message}"
            yield Problem(message, file.place(complaint.position), complaint.hint, complaint.severity)

    def _complaints(self, text: str) -> Iterator[_Complaint]:
        for position, name in found(text):
            if name == CONTEXT:
                if not self.target_context:
                    message = f"{{{{{CONTEXT}}}}} is empty here."
                    hint = "Set generation > target_context in the campaign."
                    yield _Complaint(position, message, hint, "warning")
            elif name not in self.names:
                yield _Complaint(position, *self._unknown(name))
        for position, braces in malformed(text, strict=self.strict):
            yield _Complaint(position, f"{excerpt(braces, 60)} is no placeholder.", _how_to_write(braces))

    def _unknown(self, name: str) -> tuple[str, str]:
        kind, _, rest = name.partition(".")
        if kind == "parameters":
            message = f"{{{{{name}}}}} can be used in the attack file alone."
            return message, f"Give the case a variable with this value, and write {{{{{rest}}}}} here."
        if kind == "context":
            return f"there is no {{{{{name}}}}}.", f"The only one is {{{{{CONTEXT}}}}}."
        hint = f"Declare it under variables; to mean the braces, write {{{{{{{{{name}}}}}}}}}."
        return f"there is no variable {name!r}.{did_you_mean(name, self.names)}", hint


def _how_to_write(braces: str) -> str:
    if braces in ("{{", "}}"):
        return "Put a space between the braces where no placeholder is meant."
    if braces.startswith("$"):
        return f"Write {{{{{braces[2:-1].strip()}}}}}."
    inner = braces[2:-2]
    literally = f"{{{{{{{{{inner}}}}}}}}}"
    if inner.strip().replace(".", "_").isidentifier():
        return f"Write {{{{{inner.strip()}}}}}, without spaces; to mean the braces, {literally}."
    return f"To mean the braces, write {literally}." if inner else "Write a name between the braces."
