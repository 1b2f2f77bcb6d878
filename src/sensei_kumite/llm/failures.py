"""What goes wrong inside a provider's library, said as one ModelError: the only place that maps them.

The libraries share no exceptions, so they are told apart by what their errors have in common: an HTTP
status, a class called after a timeout or a connection, an error of the operating system underneath.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from sensei_kumite.errors import KumiteError, ModelError
from sensei_kumite.llm.providers import GO_OFFLINE, key_names
from sensei_kumite.llm.requests import ModelSettings
from sensei_kumite.text import excerpt, public_url, redact

_UNEXPECTED = (AttributeError, TypeError, LookupError, ValueError)
_QUOTED = 300


@dataclass(frozen=True, slots=True, repr=False)
class Failures:
    """Explains the failures of one model. `timeout` are the seconds of a call; `secrets` are blanked."""

    settings: ModelSettings
    timeout: float
    secrets: tuple[str, ...] = ()

    @contextmanager
    def explained(self, otherwise: str = "gave an answer that is none") -> Iterator[None]:
        """Turn what a provider's library raises into ModelError; a bug, and what is ours already, goes on.

        `otherwise` says what went wrong where the library stumbled over something itself.
        """
        try:
            yield
        except Exception as error:
            told = self.explain(error, otherwise)
            if told is None:
                raise
            raise told from None

    def explain(self, error: Exception, otherwise: str) -> ModelError | None:
        """What `error` means; None where it is none of the provider's."""
        if isinstance(error, KumiteError):
            return None
        status = _status(error)
        if status is not None:
            return self._rejected(status, self._quoted(error))
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if _any_in(kinds, "Timeout", "DeadlineExceeded"):
            return self._error(f"did not answer within {self.timeout:g} s", transient=True)
        if isinstance(error, ImportError):
            return self._error(f"cannot be set up: {self._quoted(error)}", hint=GO_OFFLINE)
        if isinstance(error, OSError) or _any_in(kinds, "Connect", "NetworkError", "ProtocolError"):
            return self._error(f"cannot be reached: {self._shown(_reason(error))}", transient=True)
        if isinstance(error, _UNEXPECTED):
            return self._error(f"{otherwise}: {self._shown(_body(error)) or self._quoted(error)}")
        if type(error).__module__ == "builtins":
            return None
        return self._error(f"failed: {self._quoted(error) or type(error).__name__}")

    def empty(self, finish: str | None) -> ModelError:
        """The error for a message without text; `finish` is why the model stopped."""
        return self._error("answered with an empty message" + (f" ({self._shown(finish)})" if finish else ""))

    def _rejected(self, status: int, said: str) -> ModelError:
        """The error for an HTTP status that means no."""
        block = self.settings.role
        keys = " or ".join(key_names(self.settings))
        what, hint = "failed" if status >= 500 else "rejected the request", None
        if status in (401, 403):
            what = "refused the API key"
            hint = f"Check {keys or 'the credentials'}. Or: {GO_OFFLINE}"
        elif status == 404:
            what, hint = "is not known there", f"Check model, provider and base_url under {block}."
        elif status == 429:
            what, hint = (
                "is asked too often or has no quota left",
                "Lower execution.concurrency, or wait.",
            )
        return self._error(
            f"{what}: HTTP {status}" + (f", {said}" if said else ""),
            hint=hint,
            transient=status in (408, 425, 429) or status >= 500,
            status=status,
        )

    def _error(
        self, what: str, *, hint: str | None = None, transient: bool = False, status: int | None = None
    ) -> ModelError:
        """One sentence that begins with the model."""
        settings = self.settings
        place = f" at {public_url(settings.base_url)}" if settings.base_url else ""
        name = f"The {settings.role} model {settings.model} ({settings.provider}{place})"
        return ModelError(f"{name} {what.rstrip('. ')}.", hint=hint, transient=transient, status=status)

    def _quoted(self, error: Exception) -> str:
        return self._shown(_said(error))

    def _shown(self, text: str) -> str:
        """Blanked before it is cut: half a key is a secret, too."""
        return excerpt(redact(text, self.secrets), _QUOTED)


def _body(error: Exception) -> str:
    """What came over the wire, where the library lets it be seen."""
    text = getattr(getattr(error, "response", None), "text", None)
    return text if isinstance(text, str) else ""


def _said(error: Exception) -> str:
    """The provider's words: its message, without the JSON around it."""
    if isinstance(error, ValidationError):  # whose own text quotes parts of the values, of keys as well
        found = error.errors(include_input=False, include_url=False)
        return "; ".join(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in found)
    body: Any = getattr(error, "body", None)
    if isinstance(body, dict):
        inner = body.get("error", body)
        text = inner.get("message") if isinstance(inner, dict) else inner
        if isinstance(text, str) and text:
            return text
    return str(getattr(error, "message", None) or error)


def _status(error: Exception) -> int | None:
    """The HTTP status of an answer that was no success."""
    response = getattr(error, "response", None)
    candidates = [getattr(error, name, None) for name in ("status_code", "code")]
    candidates.append(getattr(response, "status_code", None))
    if isinstance(response, dict):  # botocore
        candidates.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    return next((code for code in candidates if isinstance(code, int) and 400 <= code < 600), None)


def _reason(error: BaseException) -> str:
    """The reason at the bottom: the operating system's words where there are some."""
    seen: set[int] = set()
    words = ""
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        words = str(getattr(link, "strerror", None) or link) or words
        link = link.__cause__ or link.__context__
    return words or type(error).__name__


def _any_in(kinds: set[str], *words: str) -> bool:
    return any(word in kind for kind in kinds for word in words)
