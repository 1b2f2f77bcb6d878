"""From a case to its prompt: variables worked out one after the other, then the prompt, then its oracle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sensei_kumite.attacks.base import Prompt
from sensei_kumite.attacks.custom.cases import (
    ABSENT,
    EMPTY,
    EMPTY_TARGET,
    UNPROTECTABLE,
    VARIABLES,
    CustomCase,
)
from sensei_kumite.attacks.custom.generated import generate
from sensei_kumite.attacks.custom.placeholders import TooLong, fill, fill_all, names
from sensei_kumite.attacks.custom.scope import CONTEXT, Scope
from sensei_kumite.attacks.custom.tools import Tools
from sensei_kumite.attacks.custom.variables import FunctionCall, Rephrasing, Variable
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.attacks.rephrasing import Component, rephrase
from sensei_kumite.errors import ConfigurationError
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_scalars import plain


def write(case: CustomCase, tools: Tools) -> Prompt:
    """The prompt of a case with everything in it worked out afresh.

    Raises ConfigurationError where what a function or a model gave does not fit, and BudgetReached.
    """
    resolution = _Resolution(case, tools)
    try:
        component, metadata = resolution.prompt()
        oracle = resolution.oracle()
    except TooLong as error:
        raise case.where.error(str(error)) from None
    if not tools.rephrase:
        return Prompt(component.text, {**case.metadata, **metadata}, case.case_id, oracle)
    rephrased = rephrase(component, tools.rephrase, tools.context)
    told = {**case.metadata, **metadata, **rephrased.metadata}
    return Prompt(rephrased.text, told, case.case_id, oracle)


class _Resolution:
    """The values of one case while they are worked out, and what there is to be told of them."""

    def __init__(self, case: CustomCase, tools: Tools) -> None:
        self._case = case
        self._tools = tools
        self._values = {CONTEXT: tools.context.target_context}
        self._under_way: list[str] = []
        self._generations: dict[str, Mapping[str, Any]] = {}
        self._rephrasings: list[Mapping[str, Any]] = []
        self._targets: list[str] = []
        self._results: list[str] = []

    def prompt(self) -> tuple[Component, Mapping[str, Any]]:
        """The prompt with what must stay as it is in it, and metadata that says how it came about."""
        if self._case.generation is not None:
            written = generate(self._case.generation, self._values, self._tools.context)
            return Component(written.text, "generated_prompt"), written.metadata
        self._work_out_all(self._case.order)
        text = fill(self._case.prompt, self._values)
        if not text.strip():
            raise self._case.where.step("prompt").error(EMPTY)
        self._check_protection(text)
        protected = dict.fromkeys([*self._protected(text), *filter(None, self._results)])
        return Component(text, protected=tuple(one for one in protected if one in text)), self._told()

    def oracle(self) -> OracleSpec | None:
        """The oracle of this case; one that depends on what a model or a function gave is checked now."""
        template = self._case.oracle
        if template is None:
            return None
        spec = template.filled(self._values)
        if template.names and not self._case.is_settled:
            problems = template.problems(self._values, self._tools.context.check_oracle)
            if any(problem.severity == "error" for problem in problems):
                raise ConfigurationError(problems)
        return spec

    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = {}
        if self._generations:
            told["variable_generation"] = self._generations
            told["generated_by_llm"] = any(one["generated_by_llm"] for one in self._generations.values())
        if self._rephrasings:
            told["function_rephrasing"] = self._rephrasings
        return told

    def _work_out_all(self, names_used: Iterable[str]) -> None:
        for name in names_used:  # in a fixed order, for the metadata follow it
            if name not in self._values:
                self._work_out(name)

    def _work_out(self, name: str) -> None:
        """Give a variable its value. It may be asked for early by a file that only a function names."""
        variable, where = self._case.variables[name], self._case.where.step(VARIABLES, name)
        if name in self._under_way:
            circle = " -> ".join([*self._under_way[self._under_way.index(name) :], name])
            raise where.error(f"this variable uses itself: {circle}.")
        self._under_way.append(name)
        self._work_out_all(sorted(variable.uses))
        self._values[name] = self._value(name, variable, where)
        self._under_way.pop()

    def _value(self, name: str, variable: Variable, where: Where) -> str:
        if variable.function:
            return self._called(name, variable.function, where.step("function"))
        if variable.generation:
            written = generate(variable.generation, self._values, self._tools.context)
            self._generations[name] = written.metadata
            return written.text
        text = fill(str(variable.value), self._values)
        return self._read(text, variable, where.step("value")) if variable.type == "path" else text

    def _read(self, path: str, variable: Variable, where: Where) -> str:
        """The text of a file; a path that was written out has been looked at before."""
        try:
            file = self._tools.texts.read(path)
        except ConfigurationError as error:
            raise ConfigurationError(where.problems(error)) from None
        if names(str(variable.value)):
            scope = Scope(self._case.variables, True, self._tools.context.target_context)
            problems = [one for one in scope.problems_of_file(file, where) if one.severity == "error"]
            if problems:
                raise ConfigurationError(problems)
        self._work_out_all(sorted(names(file.text)))
        return fill(file.text, self._values)

    def _called(self, name: str, call: FunctionCall, where: Where) -> str:
        path = fill(call.path, self._values)
        arguments: dict[str, Any] = plain(fill_all(call.arguments, self._values))
        if call.rephrase:
            self._rephrase(name, arguments, call.rephrase, where.step("rephrase", "target"))
        try:
            result = self._tools.functions.call(path, call.name, arguments)
        except ConfigurationError as error:
            raise ConfigurationError(where.problems(error)) from error
        if call.rephrase and self._tools.rephrase:
            self._results.append(result)
        return result

    def _rephrase(self, name: str, arguments: dict[str, Any], asked: Rephrasing, where: Where) -> None:
        """Put other words into one of the arguments, where the entry asks for them."""
        *steps, last = asked.steps
        for step in steps:
            arguments = arguments[step]
        text = arguments[last]
        if not text.strip():
            raise where.error(EMPTY_TARGET)
        self._targets.append(text)
        if self._tools.rephrase:
            component = Component(text, asked.target, self._protected(text))
            rephrased = rephrase(component, self._tools.rephrase, self._tools.context)
            arguments[last] = rephrased.text
            self._rephrasings.append({"variable": name, "target": asked.target, **rephrased.metadata})

    def _protected(self, text: str) -> tuple[str, ...]:
        """What rephrasing must leave in `text` as it is."""
        variables = self._case.variables
        values = [
            value for name, value in self._values.items() if name in variables and variables[name].protect
        ]
        return tuple(dict.fromkeys(value for value in values if value and value in text))

    def _check_protection(self, prompt: str) -> None:
        for name, variable in self._case.variables.items():
            where = self._case.where.step(VARIABLES, name, "protect")
            if variable.protect and not self._values[name]:
                raise where.error(UNPROTECTABLE)
            if variable.protect and not any(self._values[name] in text for text in (prompt, *self._targets)):
                raise where.error(ABSENT)
