"""Messages as text, with the metadata that message transports depend on."""

from __future__ import annotations

from typing import Any, Final

from ..values import jsontext
from ..values.deferred import dataclass
from ..values.unset import UNSET
from .messages import RequestId

# The JSON field with the session id, in params and in results that create a session.
_SESSION: Final = "sessionId"


@dataclass(slots=True)
class Envelope:
    """The identity of a message, without its params or its result.

    Attributes:
        id: the id of the request, or of the request that a response is for; None if there is none.
        method: its method. None if it is a response to a call of the peer with an unknown method.
        session_id: the session that it is about; None if its params name none. A response is about
            the session that its request names.
        is_response: whether it is a response.
    """

    id: RequestId
    method: str | None
    session_id: str | None
    is_response: bool


@dataclass(slots=True)
class Message:
    """A message or a batch of messages, as text.

    Attributes:
        text: JSON in UTF-8, on one line, without the line end.
        value: the text as parsed JSON, not to be modified; UNSET if it was not parsed yet.
        envelope: its envelope; None if it was not read yet.
    """

    text: bytes
    value: Any = UNSET
    envelope: Envelope | None = None

    def parse(self) -> Any:
        """Return the text as parsed JSON. It is parsed once.

        Raises:
            DecodeError: If it is not JSON.
        """
        if self.value is UNSET:
            try:
                self.value = jsontext.parse(self.text)
            except (ValueError, RecursionError) as error:  # from the backend that the user chose
                raise jsontext.not_json(error) from None
        return self.value

    def read_envelope(self) -> Envelope:
        """Return its envelope. The fields are empty for a batch and for other JSON.

        Raises:
            DecodeError: If it is not JSON.
        """
        if self.envelope is None:
            self.envelope = _envelope_of(self.parse())
        return self.envelope


def session_id_of(params: Any) -> str | None:
    """Return the session id in params, typed or in JSON, if any."""
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
