"""Methods, their params and results."""

from __future__ import annotations

from diff.cases.case import Case
from diff.small import STRING, Schema, envelopes, method, record

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
        ["method a/tell added CC rw", "definition Tell added IC rw"],
        None,
    ),
    "method removed": Case(
        told(("Tell",), **TELL),
        ASKED,
        ["method a/tell removed BB -w", "definition Tell removed IB rw"],
        None,
    ),
    "method renamed, its definitions stay": Case(
        told(("Tell",), **TELL),
        told(("Tell",), Tell=method("a/say", t=STRING)),
        ["method a/tell renamed BB --"],
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
            "method a/ask renamed BB --",
            "definition AskRequest renamed IB rw",
            "definition AskResponse renamed IB rw",
        ],
        None,
    ),
    "definition renamed, by its method": Case(
        told(("Tell",), **TELL),
        told(("Message",), Message=TELL["Tell"]),
        ["definition Tell renamed IB rw"],
        None,
    ),
    "methods gone, one of which may have been renamed": Case(
        told(("Tell", "Say"), **TELL, Say=method("a/say", t=STRING)),
        told(("Shout",), Shout=method("a/shout", t=STRING)),
        [
            "method a/say removed BB -w",
            "method a/shout added CC rw",
            "method a/tell removed BB -w",
            "definition Say removed IB rw",
            "definition Shout added IC rw",
            "definition Tell removed IB rw",
        ],
        None,
    ),
    "params replaced": Case(
        told(("Tell",), **TELL, Message=record(m=STRING, n=STRING)),
        told(("Message",), Tell=record(t=STRING), Message=method("a/tell", m=STRING, n=STRING)),
        ["params a/tell changed CB rw"],
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
        ["result a/ask changed CB rw"],
        None,
    ),
    "request to a notification": Case(
        told(("Tell",), **TELL),
        {**TELL, "AskRequest": ASK, "AskResponse": ANSWER, **envelopes({}, ("Tell", "AskRequest"))},
        ["method a/ask removed BB -w", "method a/ask added CC rw"],
        None,
    ),
    "handled by the other side": Case(
        told(("Tell",), **TELL),
        {
            **ASKED,
            "Tell": {**TELL["Tell"], "x-side": "client"},
            "AgentNotification": envelopes({}, ("Tell",))["ClientNotification"],
        },
        ["method a/tell removed BB -w", "method a/tell added CC rw"],
        None,
    ),
}
