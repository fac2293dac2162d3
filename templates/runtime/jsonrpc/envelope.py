"""Messages as text, with the metadata that message transports need."""

from __future__ import annotations

from typing import Any, Final

from ..values import jsontext
from ..values.deferred import dataclass
from ..values.unset import UNSET
from .messages import RequestId

# The JSON field with the session id in params, and in results of requests that create a session.
_SESSION: Final = "sessionId"


@dataclass(slots=True)
class Envelope:
    """A message's metadata, without its params or result.

    Attributes:
        id: the id of the request or, for a response, of the request that it responds to, or None if
            the message has no id.
        method: the method of the message, or None for a response to a request with an unknown
            method.
        session_id: the session id in the params, or None if there is none. For a response, it is
            the session id in the params of the request.
        is_response: whether the message is a response.
    """

    id: RequestId
    method: str | None
    session_id: str | None
    is_response: bool


@dataclass(slots=True)
class Message:
    """A message or a batch of messages, as text.

    Attributes:
        text: one line of JSON in UTF-8, without the line ending.
        value: the text as parsed JSON, which must not be modified, or UNSET if it has not been
            parsed yet.
        envelope: the metadata, or None if it has not been read yet.
    """

    text: bytes
    value: Any = UNSET
    envelope: Envelope | None = None

    def parse(self) -> Any:
        """Return the text as parsed JSON. The text is parsed only once.

        Raises:
            DecodeError: If the text is not valid JSON.
        """
        if self.value is UNSET:
            try:
                self.value = jsontext.parse(self.text)
            except (ValueError, RecursionError) as error:  # the type depends on the JSON backend
                raise jsontext.not_json(error) from None
        return self.value

    def read_envelope(self) -> Envelope:
        """Return the message's metadata, which is empty if the text isn't a single message.

        Raises:
            DecodeError: If the text is not valid JSON.
        """
        if self.envelope is None:
            self.envelope = _envelope_of(self.parse())
        return self.envelope


def session_id_of(params: Any) -> str | None:
    """Return the session id in typed or JSON params, or None if there is no id."""
    is_json = params.__class__ is dict
    session_id = params.get(_SESSION) if is_json else getattr(params, "session_id", None)
    return session_id if isinstance(session_id, str) else None


def _envelope_of(value: Any) -> Envelope:
    if value.__class__ is not dict:
        return Envelope(None, None, None, False)
    id_, method = value.get("id"), value.get("method")
    is_response = "method" not in value and ("result" in value or "error" in value)
    return Envelope(
        id_ if isinstance(id_, str | int) else None,
        method if isinstance(method, str) else None,
        session_id_of(value.get("params")),
        is_response,
    )
