"""The request that the `http` target sends for each message: its method, address, headers and body."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from sensei_kumite.errors import TargetRejected
from sensei_kumite.targets.parameters import check_url, public_url
from sensei_kumite.targets.pool import DEFAULT_HEADERS, Request
from sensei_kumite.targets.template import (
    Quote,
    Slot,
    Template,
    Values,
    fill_structure,
    in_address,
    is_json,
    parse_structure,
    parse_template,
    quote_for,
    slots_in,
)
from sensei_kumite.text import replace_surrogates
from sensei_kumite.yaml_scalars import plain

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_FRAMING = frozenset({"content-length", "transfer-encoding", "host"})
_LIKE_JSON = re.compile(r"\s*(?:\{(?!\{)|\[)")
_UNSENDABLE = re.compile(r"[\x00\r\n]")

Variable = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Address:
    """`base` is scheme, host and port, the same for every message; `path` what follows."""

    base: str
    path: Template


@dataclass(frozen=True, slots=True)
class Body:
    """What a body is made of: a structure that becomes JSON, or a template with its way of quoting."""

    content_type: str
    content: Any
    quoted: Quote | None = None

    def fill(self, values: Values) -> bytes:
        """The body with `values`."""
        if self.quoted is None:
            return json.dumps(fill_structure(self.content, values)).encode()
        return replace_surrogates(self.content.fill(values, self.quoted)).encode()


@dataclass(frozen=True, slots=True)
class RequestTemplate:
    """Everything about a request that does not depend on the message."""

    method: str
    address: Address
    headers: Mapping[str, Template]
    body: Body | None

    @property
    def slots(self) -> set[Slot]:
        """What the request has a place for."""
        content = self.body.content if self.body else None
        return {*slots_in([self.address.path, content]), *slots_in(list(self.headers.values()))}

    @property
    def constant_headers(self) -> dict[str, str]:
        """The headers that are the same in every request."""
        return {
            name: template.fill({}) for name, template in self.headers.items() if not any(slots_in(template))
        }

    def fill(self, message: str, session: str) -> Request:
        """The request for `message` in the conversation `session`.

        Raises TargetRejected where a header would need what no header can hold.
        """
        values = {Slot.MESSAGE: message, Slot.SESSION: session}
        headers = {name: _header(name, template.fill(values)) for name, template in self.headers.items()}
        body = self.body.fill(values) if self.body else None
        return Request(self.method, self.address.path.fill(values, in_address), headers, body)


def read_address(text: str, variable: Variable) -> Address:
    """The address in `text`, without a fragment, for that is never sent.

    Raises ValueError saying what it should be, without values of variables.
    """
    template = _without_fragment(parse_template(text, partial(_unbroken, variable)))
    one, other = (template.fill(dict.fromkeys(Slot, word)) for word in ("a", "b"))
    try:
        check_url(one)
        parts, others = urlsplit(one), urlsplit(other)
    except ValueError:
        should = "should be an address that begins with http:// or https://"
        raise ValueError(f"{should}, not {public_url(text)!r}") from None
    if (parts.scheme, parts.netloc) != (others.scheme, others.netloc):
        raise ValueError("should have its placeholders behind the host")
    if parts.username or parts.password:
        raise ValueError("holds a user or password, which would not be sent; write an Authorization header")
    base = f"{parts.scheme}://{parts.netloc}"
    first, *rest = template.parts
    begin = str(first)[len(base) :]  # constant up to there, or the host would differ above
    path = Template((begin if begin.startswith("/") else f"/{begin}", *rest))
    return Address(base, path)


def _unbroken(variable: Variable, name: str) -> str:
    value = variable(name)
    if re.search(r"\s", value):
        should = "which no address can hold; write %20 there"
        raise ValueError(f"names the environment variable {name}, whose value has a blank in it, {should}")
    return value


def _without_fragment(template: Template) -> Template:
    parts: list[str | Slot] = []
    for part in template.parts:
        if isinstance(part, str) and "#" in part:
            return Template((*parts, part.partition("#")[0]))
        parts.append(part)
    return template


def read_headers(headers: Mapping[str, Any], variable: Variable) -> dict[str, Template]:
    """The headers of every request; raises ValueError with a sentence for each that cannot be sent."""
    templates: dict[str, Template] = {}
    wrong: list[str] = []
    for name, value in headers.items():
        try:
            templates[name] = _read_header(name, value, variable)
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ValueError(*wrong)
    return templates


def _read_header(name: Any, value: Any, variable: Variable) -> Template:
    if not isinstance(name, str) or not _TOKEN.fullmatch(name) or name.lower() in _FRAMING:
        raise ValueError(f"holds {name!r}, which is no header that can be set")
    if not isinstance(value, str):
        raise ValueError(f"should map {name!r} to a text; numbers, true and false need quotes")
    template = parse_template(value, variable)
    if any(_UNSENDABLE.search(part) for part in template.parts if isinstance(part, str)):
        raise ValueError(f"holds a line break in {name!r}")
    return template


def content_type(headers: Mapping[str, Template]) -> str:
    """What the headers say a body is; empty where they do not."""
    nothing = dict.fromkeys(Slot, "")
    return next(
        (value.fill(nothing) for name, value in headers.items() if name.lower() == "content-type"), ""
    )


def with_defaults(headers: Mapping[str, Template], body: Body | None) -> dict[str, Template]:
    """`headers`, and those that are sent where nobody sets them."""
    given = {name.lower() for name in headers}
    defaults = DEFAULT_HEADERS if body is None else {**DEFAULT_HEADERS, "Content-Type": body.content_type}
    added = {name: Template((value,)) for name, value in defaults.items() if name.lower() not in given}
    return {**added, **headers}


def read_body(value: Any, content_type: str, variable: Variable) -> Body | None:
    """The body that `value` describes; a text that is JSON is taken for what it spells.

    `content_type` is empty where no header says it. Raises ValueError saying what is wrong.
    """
    if value is None:
        return None
    value, content_type = _spelled(plain(value), content_type)
    if is_json(content_type) or (isinstance(value, (dict, list)) and not content_type):
        return Body(content_type or "application/json", parse_structure(value, variable))
    if not isinstance(value, str):
        kind = f" for the Content-Type {content_type}" if content_type else ", a mapping or a list"
        raise ValueError(f"should be a text{kind}")
    content_type = content_type or "text/plain; charset=utf-8"
    quoted = quote_for(content_type)
    return Body(content_type, parse_template(value, lambda name: quoted(variable(name))), quoted)


def _spelled(value: Any, content_type: str) -> tuple[Any, str]:
    """A text that is JSON as the data it spells, and what kind of body that makes it."""
    if not isinstance(value, str) or (content_type and not is_json(content_type)):
        return value, content_type
    try:
        spelled = json.loads(value)
    except (ValueError, RecursionError):
        if content_type or _LIKE_JSON.match(value):
            should = "should be valid JSON with every placeholder inside of quotes"
            other = "" if content_type else ", or have a Content-Type header that says what it is"
            raise ValueError(f"{should}{other}") from None
        return value, ""
    if content_type or isinstance(spelled, (dict, list)):
        return spelled, content_type or "application/json"
    return value, ""


def _header(name: str, value: str) -> bytes:
    if _UNSENDABLE.search(value):
        raise TargetRejected(f"the header {name} cannot hold this message: it has more than one line.")
    return replace_surrogates(value).encode()
