"""`json_schema_match`: is a response JSON, and does it have the shape it should have?"""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from sensei_kumite.config.fields import Flag, Plain, WrongKey
from sensei_kumite.errors import OracleError
from sensei_kumite.models import Verdict
from sensei_kumite.oracles.base import ORACLES, Oracle, OracleContext, OracleParams
from sensei_kumite.oracles.data_file import load_data
from sensei_kumite.oracles.fields import FilledText
from sensei_kumite.oracles.schemas import compile_schema

_FENCED = re.compile(r"```(?:json)?(?!\w)(.*)```", re.DOTALL | re.IGNORECASE)


class JsonSchemaParams(OracleParams):
    """The shape, and what to make of it."""

    schema_: dict[str, Plain] | None = Field(None, alias="schema", description="The JSON Schema itself.")
    schema_file: FilledText | None = Field(None, description="A YAML or JSON file with the schema.")
    expected: Literal["match", "mismatch"] = Field("match", description="What the response should do.")
    allow_markdown_fence: Flag = Field(True, description="Accept one fenced code block around the JSON.")
    check_formats: Flag = Field(False, description="Also check `format`: date-time, email, uri, …")

    @model_validator(mode="after")
    def _one_schema(self) -> Self:
        if self.schema_ is not None and self.schema_file is not None:
            raise WrongKey("schema_file", "schema and schema_file exclude each other: keep one")
        if self.schema_ is None and self.schema_file is None:
            raise ValueError("needs schema or schema_file")
        return self


@ORACLES.register("json_schema_match")
class JsonSchemaMatch(Oracle[JsonSchemaParams]):
    """Compares the whole response with a JSON Schema."""

    description = "Checks the response, which must be JSON and nothing else, against a JSON Schema."
    passes_when = "the response is JSON and validates (expected: match), or does not (mismatch)"
    Params = JsonSchemaParams

    def __init__(self, params: JsonSchemaParams, context: OracleContext) -> None:
        super().__init__(params, context)
        self._schema = compile_schema(_read_schema(params, context), check_formats=params.check_formats)

    def score(self, prompt: str, response: str) -> Verdict:
        """Pass when the response does as expected; raises OracleError where that cannot be told."""
        value, parse_error = None, None
        errors: list[dict[str, Any]] = []
        truncated = False
        try:
            value = parse_json(response, allow_fence=self.params.allow_markdown_fence)
        except ValueError as error:
            parse_error = str(error)
        else:
            errors, truncated = self._schema.find_errors(value)
        valid = parse_error is None and not errors
        evidence = {
            "valid": valid,
            "expected": self.params.expected,
            "schema_source": self.params.schema_file or "inline",
            "parsed_type": None if parse_error else type(value).__name__,
            "parse_error": parse_error,
            "validation_errors": errors,
            "truncated_errors": truncated,
        }
        return Verdict(valid == (self.params.expected == "match"), _reason(valid, parse_error), evidence)


def _reason(valid: bool, parse_error: str | None) -> str:
    if parse_error:
        return "The response is not JSON."
    return "The response has the shape of the schema." if valid else "The response violates the schema."


def _read_schema(params: JsonSchemaParams, context: OracleContext) -> dict[str, Any]:
    if params.schema_file is None:
        return params.schema_ or {}
    schema = load_data(context.resolve(params.schema_file))
    if not isinstance(schema, dict):
        raise WrongKey("schema_file", f"{params.schema_file} should hold a JSON Schema, which is a mapping")
    return schema


def parse_json(text: str, *, allow_fence: bool) -> Any:
    """The JSON value that is all of `text`, around which one code fence may stand.

    Of a key that occurs twice the last counts, as most readers of JSON have it. Raises ValueError where
    the text is not JSON, OracleError where it is but is too deep or its numbers too large to handle.
    """
    body = text.strip().removeprefix("\ufeff").strip()
    if allow_fence and (fence := _FENCED.fullmatch(body)):
        body = fence[1].strip()
    try:
        return json.loads(body, parse_constant=_no_constant, parse_float=_finite, parse_int=_integer)
    except RecursionError:
        raise OracleError("The response is JSON nested too deeply to be checked.") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise OracleError("The response holds a number too large to be checked.")
    return value


def _integer(digits: str) -> int:
    limit = sys.get_int_max_str_digits()
    if limit and len(digits) > limit:
        raise OracleError("The response holds a number too long to be checked.")
    return int(digits)
