"""Test cases for added, removed and renamed definitions, vendor keywords, and methods."""

from __future__ import annotations

from tests.acpgen.diff.cases.case import PARTS, REPLACED, SOME, STRINGS, Case, member, thing
from tests.acpgen.diff.small import (
    ON_ERROR,
    ON_NULL,
    SKIP,
    STRING,
    Schema,
    envelopes,
    method,
    record,
    ref,
    tagged,
    union,
)

DEFINITIONS = {
    "nothing": thing(record(a=STRING), record(a=STRING)),
    "words only": thing(
        {**record(a=STRING), "description": "one"}, {**record(a=STRING), "description": "other"}
    ),
    "order of members": thing(record(a=STRING, b=STRING), record(b=STRING, a=STRING)),
    "order of definitions": Case(
        {"Thing": record(a=STRING), "Part": STRING}, {"Part": STRING, "Thing": record(a=STRING)}, []
    ),
    "added": Case(
        {"Thing": STRING},
        {"Thing": STRING, "Part": record(p=STRING)},
        ["definition Part added IC rw"],
    ),
    "renamed, by the member that holds it": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("p", p=STRING)},
        ["definition Part renamed IB rw"],
    ),
    "renamed, by the items of the member that holds them": Case(
        {"Thing": record(x={"type": "array", "items": ref("Part")}), "Part": record("p", p=STRING)},
        {
            "Thing": record(x={"type": ["array", "null"], "items": ref("Piece")}),
            "Piece": record("p", p=STRING),
        },
        ["definition Part renamed IB rw", "nullability Thing.x changed BB r-"],
    ),
    "renamed, by the arm that leads to it": Case(
        {"Thing": union(*SOME), **PARTS},
        {
            "Thing": union(tagged("part", "Piece"), tagged("other", "Other")),
            "Piece": PARTS["Part"],
            "Other": PARTS["Other"],
        },
        ["definition Part renamed IB rw"],
    ),
    "renamed, by its structure": Case(
        {"Thing": record("a", "b", a=STRING, b=STRING)},
        {"Other": record("a", "b", a=STRING, b=STRING)},
        ["definition Thing renamed IB rw"],
        ("Thing", "Other"),
    ),
    "renamed and changed": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": record(x=ref("Piece")),
            "Piece": record("p", "q", "r", p=STRING, q=STRING, r=STRING),
        },
        ["definition Part renamed IB rw", "field Piece.r added BB -w"],
    ),
    "not renamed, for it is another thing": Case(
        {"Thing": record(x=ref("Part")), "Part": record("p", p=STRING)},
        {"Thing": record(x=ref("Piece")), "Piece": record("q", q=STRING)},
        ["definition Part removed IB rw", "definition Piece added IC rw", REPLACED],
    ),
    "not renamed, for there are two like it": Case(
        {"Thing": STRING, "Part": record("p", "q", p=STRING, q=STRING)},
        {
            "Thing": STRING,
            "Piece": record("p", "q", p=STRING, q=STRING),
            "Bit": record("p", "q", p=STRING, q=STRING),
        },
        [
            "definition Bit added IC rw",
            "definition Part removed IB rw",
            "definition Piece added IC rw",
        ],
    ),
}


KEYWORDS = {
    "default on error added": member(
        STRING, {**STRING, **ON_ERROR}, "x-deserialize-default-on-error Thing.x changed CI rw"
    ),
    "default on error is another one": member(
        {**STRING, **ON_ERROR, "default": "one"},
        {**STRING, **ON_ERROR, "default": "two"},
        "x-deserialize-default-on-error Thing.x changed CI rw",
    ),
    "default on null added": member(
        STRINGS, {**STRINGS, **ON_NULL}, "x-deserialize-default-on-null Thing.x changed CI rw"
    ),
    "skip invalid items added": member(
        STRINGS, {**STRINGS, **SKIP}, "x-deserialize-skip-invalid-items Thing.x changed CI rw"
    ),
}


ASK, ANSWER = method("a/ask", p=STRING, q=STRING), method("a/ask", r=STRING, s=STRING)
ASKED = {"AskRequest": ASK, "AskResponse": ANSWER, **envelopes({"AskRequest": "AskResponse"})}
TELL = {"Tell": method("a/tell", t=STRING)}


def told(notifications: tuple[str, ...], **definitions: Schema) -> dict[str, Schema]:
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
