"""Methods, their params and results."""

from __future__ import annotations

from diff.cases.case import B, C, Case, I
from diff.small import (
    STRING,
    Schema,
    envelopes,
    method,
    record,
)

ASK, ANSWER = method("a/ask", p=STRING, q=STRING), method("a/ask", r=STRING, s=STRING)
ASKED = {"AskRequest": ASK, "AskResponse": ANSWER, **envelopes({"AskRequest": "AskResponse"})}
TELL = {"Tell": method("a/tell", t=STRING)}


def told(notifications: tuple[str, ...], **definitions: Schema) -> dict[str, Schema]:
    """A request, and notifications."""
    names = envelopes({"AskRequest": "AskResponse"}, notifications)
    return {"AskRequest": ASK, "AskResponse": ANSWER, **definitions, **names}


METHODS = {
    "method added": Case(
        ASKED,
        told(("Tell",), **TELL),
        [
            ("method", "a/tell", "added", C, C, True, True),
            ("definition", "Tell", "added", I, C, True, True),
        ],
        None,
    ),
    "method removed": Case(
        told(("Tell",), **TELL),
        ASKED,
        [
            ("method", "a/tell", "removed", B, B, False, True),
            ("definition", "Tell", "removed", I, B, True, True),
        ],
        None,
    ),
    "method renamed, its definitions stay": Case(
        told(("Tell",), **TELL),
        told(("Tell",), Tell=method("a/say", t=STRING)),
        [("method", "a/tell", "renamed", B, B, False, False)],
        None,
    ),
    "method renamed with its definitions": Case(
        ASKED,
        {
            "QueryRequest": {**ASK, "x-method": "a/query"},
            "QueryResponse": {**ANSWER, "x-method": "a/query"},
            **envelopes({"QueryRequest": "QueryResponse"}),
        },
        [
            ("method", "a/ask", "renamed", B, B, False, False),
            ("definition", "AskRequest", "renamed", I, B, True, True),
            ("definition", "AskResponse", "renamed", I, B, True, True),
        ],
        None,
    ),
    "definition renamed, by its method": Case(
        told(("Tell",), **TELL),
        told(("Message",), Message=TELL["Tell"]),
        [("definition", "Tell", "renamed", I, B, True, True)],
        None,
    ),
    "methods gone, one of which may have been renamed": Case(
        told(("Tell", "Say"), **TELL, Say=method("a/say", t=STRING)),
        told(("Shout",), Shout=method("a/shout", t=STRING)),
        [
            ("method", "a/say", "removed", B, B, False, True),
            ("method", "a/shout", "added", C, C, True, True),
            ("method", "a/tell", "removed", B, B, False, True),
            ("definition", "Say", "removed", I, B, True, True),
            ("definition", "Shout", "added", I, C, True, True),
            ("definition", "Tell", "removed", I, B, True, True),
        ],
        None,
    ),
    "params replaced": Case(
        told(("Tell",), **TELL, Message=record(m=STRING, n=STRING)),
        told(("Message",), Tell=record(t=STRING), Message=method("a/tell", m=STRING, n=STRING)),
        [("params", "a/tell", "changed", C, B, True, True)],
        None,
    ),
    "result replaced": Case(
        {**ASKED, "Other": record(o=STRING)},
        {
            "AskRequest": ASK,
            "AskResponse": record(r=STRING, s=STRING),
            "Other": method("a/ask", o=STRING),
            **envelopes({"AskRequest": "Other"}),
        },
        [("result", "a/ask", "changed", C, B, True, True)],
        None,
    ),
    "request to a notification": Case(
        told(("Tell",), **TELL),
        {**TELL, "AskRequest": ASK, "AskResponse": ANSWER, **envelopes({}, ("Tell", "AskRequest"))},
        [
            ("method", "a/ask", "removed", B, B, False, True),
            ("method", "a/ask", "added", C, C, True, True),
        ],
        None,
    ),
    "notification to a request": Case(
        {**TELL, "AskRequest": ASK, "AskResponse": ANSWER, **envelopes({}, ("Tell", "AskRequest"))},
        told(("Tell",), **TELL),
        [
            ("method", "a/ask", "removed", B, B, False, True),
            ("method", "a/ask", "added", C, C, True, True),
        ],
        None,
    ),
    "handled by the other side": Case(
        told(("Tell",), **TELL),
        {
            **ASKED,
            "Tell": {**TELL["Tell"], "x-side": "client"},
            "AgentNotification": envelopes({}, ("Tell",))["ClientNotification"],
        },
        [
            ("method", "a/tell", "removed", B, B, False, True),
            ("method", "a/tell", "added", C, C, True, True),
        ],
        None,
    ),
}
