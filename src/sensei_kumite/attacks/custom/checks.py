"""What a case means: whether all that it names is there, and all that is there is used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sensei_kumite.attacks.custom.cases import (
    ABSENT,
    EMPTY,
    EMPTY_TARGET,
    UNPROTECTABLE,
    VARIABLES,
    CaseKeys,
    CustomCase,
    ReadCase,
    read_keys,
)
from sensei_kumite.attacks.custom.ids import id_of
from sensei_kumite.attacks.custom.oracles import OracleTemplate
from sensei_kumite.attacks.custom.placeholders import TooLong, fill, names, names_in, texts
from sensei_kumite.attacks.custom.references import reach
from sensei_kumite.attacks.custom.scope import CONTEXT, Scope
from sensei_kumite.attacks.custom.settled import settle
from sensei_kumite.attacks.custom.tools import Tools
from sensei_kumite.attacks.custom.variables import FunctionCall
from sensei_kumite.attacks.custom.where import Where
from sensei_kumite.errors import ConfigurationError, Problem
from sensei_kumite.models import OracleSpec
from sensei_kumite.yaml_reader import YamlPath
from sensei_kumite.yaml_scalars import as_typed


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the cases of a file have in common.

    `parameters` are their effective values; `oracle` scores the cases that bring none, and
    `oracle_problems` are wrong with it whatever the case; `shared_names` are used by an oracle of the file or
    its entry.
    """

    tools: Tools
    parameters: Mapping[str, Any] = field(default_factory=dict)
    oracle: OracleTemplate | None = None
    oracle_problems: tuple[Problem, ...] = ()
    shared_names: frozenset[str] = frozenset()


def read_case(
    item: Mapping[str, Any], index: int, where: Where, around: Surroundings
) -> tuple[CustomCase | None, list[Problem]]:
    """The case, and all that is wrong with it; where there are errors, no case."""
    read = read_keys(item, where)
    checker = _Checker(item, where, read, around)
    problems = [*read.problems, *checker.problems()]
    if read.keys is None or any(problem.severity == "error" for problem in problems):
        return None, problems
    return checker.case(read.keys, id_of(item, index)), problems


class _Checker:
    """Checks one case, as far as it could be read."""

    def __init__(self, item: Mapping[str, Any], where: Where, read: ReadCase, around: Surroundings) -> None:
        declared = item.get(VARIABLES)
        self._declared: Mapping[str, Any] = declared if isinstance(declared, dict) else {}
        self._is_strict = declared is not None
        self._where = where
        self._read = read
        self._around = around
        self._tools = around.tools
        names_given = self._declared.keys() if isinstance(declared, dict) or not declared else names_in(item)
        self._scope = Scope(names_given, self._is_strict, self._tools.context.target_context)
        self._settled = settle(read.variables, where.step(VARIABLES), self._scope, self._tools.texts)
        self._texts = {key: _text(item.get(key)) for key in ("prompt", "generate", "fallback")}
        self._oracle = item.get("oracle")
        self._own = _own_oracle(self._oracle, where.step("oracle"))
        self._targets = [text for one in read.variables.values() if (text := one.target)]
        self._broken = [raw for name, raw in self._declared.items() if name not in read.variables]

    def problems(self) -> Iterator[Problem]:
        """All that is wrong but for the keys."""
        yield from self._text_problems()
        yield from self._settled.problems
        yield from self._unused()
        for name, variable in self._read.variables.items():
            where = self._where.step(VARIABLES, name)
            if variable.path:
                yield from self._path_problems(*variable.path, where)
            if variable.function:
                yield from self._function_problems(variable.function, where.step("function"))
            if variable.protect:
                yield from self._protection_problems(name, where.step("protect"))
        yield from self._prompt_problems()
        yield from self._model_problems()
        yield from self._oracle_problems()

    def case(self, keys: CaseKeys, case_id: str) -> CustomCase:
        """The case of these keys, which has no problem."""
        shared = self._around.oracle
        oracle = self._own or (shared if shared and shared.names else None)
        return CustomCase(
            case_id=case_id,
            where=self._where,
            prompt=keys.prompt or "",
            generation=keys.generation,
            variables=self._read.variables,
            order=self._settled.order,
            variants=keys.variants,
            oracle=oracle,
            metadata={**self._read.metadata, **self._known()},
        )

    def _known(self) -> dict[str, Any]:
        """What metadata can say before anything is run."""
        parameters = self._around.parameters
        known: dict[str, Any] = {"custom_attack_parameters": parameters} if parameters else {}
        if self._is_strict:
            variables = self._read.variables
            known["custom_dsl"] = True
            known["resolved_variables"] = sorted(variables)
            known["protected_variables"] = sorted(name for name in variables if variables[name].protect)
        return known

    def _text_problems(self) -> Iterator[Problem]:
        for key, text in self._texts.items():
            yield from self._placeholder_problems(text, key)
        for name, variable in self._read.variables.items():
            for path, text in variable.texts():
                yield from self._placeholder_problems(text, VARIABLES, name, *path)

    def _placeholder_problems(self, text: str, *steps: str | int) -> Iterator[Problem]:
        if "{" in text or "}" in text:
            yield from self._scope.problems(text, self._where.step(*steps))

    def _unused(self) -> Iterator[Problem]:
        """Variables that nothing leads to; nobody knows where there is a file that cannot be read yet."""
        if not self._read.variables or self._settled.unread or self._texts["generate"]:
            return
        start = names_in([*self._texts.values(), *self._broken, self._oracle]) | self._around.shared_names
        used = reach(start, self._settled.uses)
        for name in self._read.variables:
            if name not in used:
                yield self._where.step(VARIABLES, name).problem("this variable is never used.", key=True)

    def _path_problems(self, steps: YamlPath, path: str, where: Where) -> Iterator[Problem]:
        """What a model writes must not choose what is read or run; a function of the user's may."""
        variables = self._read.variables
        uses = {name: used for name, used in self._settled.uses.items() if not variables[name].function}
        for name in sorted(reach(names(path), uses) & variables.keys()):
            if variables[name].generation:
                yield where.step(*steps).problem(f"a path cannot use what a model writes, as {name!r} does.")

    def _function_problems(self, call: FunctionCall, where: Where) -> Iterator[Problem]:
        target = self._filled(call.target) if call.rephrase else None
        if target is not None and not target.strip():
            yield where.step("rephrase", "target").problem(EMPTY_TARGET)
        path = self._filled(call.path)
        if path is None and not self._tools.functions.safe:
            return
        try:
            self._tools.functions.check(path or call.path, call.name, call.arguments)
        except ConfigurationError as error:
            yield from where.problems(error)

    def _protection_problems(self, name: str, where: Where) -> Iterator[Problem]:
        value = self._settled.values.get(name)
        if value == "":
            yield where.problem(UNPROTECTABLE)
        if value == "" or self._broken or self._settled.unread:
            return
        texts_of = [self._texts["prompt"], *self._targets]
        whole = [self._filled(text) for text in texts_of]
        is_led_to = name in reach(names_in(texts_of), self._settled.uses)
        is_known = value is not None and None not in whole
        if not is_led_to or (is_known and not any(str(value) in str(text) for text in whole)):
            yield where.problem(ABSENT)

    def _prompt_problems(self) -> Iterator[Problem]:
        text = self._texts["prompt"]
        if "{{" in text and names(text) <= self._settled.values.keys():
            where = self._where.step("prompt")
            try:
                if not fill(text, self._settled.values).strip():
                    yield where.problem(EMPTY)
            except TooLong as error:
                yield where.problem(str(error))

    def _model_problems(self) -> Iterator[Problem]:
        if self._tools.context.generation is not None:
            return
        asking: list[YamlPath] = [("generate",)] if self._texts["generate"] else []
        variables = self._read.variables.items()
        asking += [(VARIABLES, name, "value", "generate") for name, one in variables if one.generation]
        for path in asking:
            message = "needs a model, which generation > enabled: false of the campaign forbids."
            yield self._where.step(*path).problem(message, key=True)

    def _oracle_problems(self) -> Iterator[Problem]:
        """Of the oracle that scores the case; one that it shares is checked for its values only."""
        template = self._own or self._around.oracle
        if template is None:
            return
        placeholders = [*(self._own_placeholders() if self._own else self._shared_placeholders(template))]
        yield from placeholders
        is_sound = all(problem.severity == "warning" for problem in placeholders)
        if not is_sound or not (self._own or template.names):
            return
        for problem in template.problems(self._settled.values, self._tools.context.check_oracle):
            if self._own:
                yield problem
            elif problem not in self._around.oracle_problems:
                yield replace(problem, message=f"{self._where.label}: {problem.message}")

    def _own_placeholders(self) -> Iterator[Problem]:
        for path, text in texts(self._own.spec.params if self._own else {}):
            yield from self._placeholder_problems(text, "oracle", "params", *path)

    def _shared_placeholders(self, template: OracleTemplate) -> Iterator[Problem]:
        for name in sorted(template.names - self._declared.keys() - {CONTEXT}):
            if name.startswith("parameters."):
                continue  # wrong for every case, so that the entry is told once
            message = f"{template.owner}'s oracle uses {{{{{name}}}}}, which this case does not declare."
            yield self._where.problem(message, "Declare it under variables, or give the case an oracle.")

    def _filled(self, text: str) -> str | None:
        """The text with its values, None where they are not all known yet."""
        try:
            return fill(text, self._settled.values)
        except (KeyError, TooLong):
            return None


def _text(value: Any) -> str:
    """A text as the case means it; what is none is a problem of its keys."""
    return str(as_typed(value)) if value is not None and not isinstance(value, (dict, list, bool)) else ""


def _own_oracle(oracle: Any, where: Where) -> OracleTemplate | None:
    """The oracle of a case; what is none is a problem of its keys."""
    if not isinstance(oracle, dict) or not isinstance(oracle.get("type"), str):
        return None
    params = oracle.get("params") or {}
    return OracleTemplate(OracleSpec(oracle["type"], params), where) if isinstance(params, dict) else None
