"""Detection of envelopes."""

from __future__ import annotations

from acpgen.schema.envelopes import find_envelopes
from acpgen.schema.nodes import Definitions

from tests.acpgen.diff.small import STRING, record, ref
from tests.acpgen.schema.small_nodes import NULL


def test_an_envelope_may_lead_to_a_method_through_another() -> None:
    definitions = {
        "Call": {**record(), "x-method": "call"},
        "Calls": {"anyOf": [ref("Call"), NULL]},
        "Message": record(params=ref("Calls")),
        "Names": {"anyOf": [ref("Name"), NULL]},
        "Name": STRING,
        "Note": record(params=ref("Plain")),
        "Plain": record(call=ref("Call")),
    }
    assert find_envelopes(Definitions(definitions)) == {"Calls", "Message"}


def test_a_message_without_content_is_no_envelope() -> None:
    hidden = {"x-docs-ignore": True}
    definitions = {
        "Head": {**record(id=STRING, method=STRING), **hidden},
        "Call": {**record(id=STRING, params=STRING), **hidden},
        "Response": {"anyOf": [record(result=STRING), record(error=STRING)], **hidden},
        "Failure": {**record(jsonrpc=STRING, id=STRING, error=STRING), **hidden},
        "Success": {**record(jsonrpc=STRING, id=STRING, result=STRING), **hidden},
        "Other": {**record(params=STRING, text=STRING), **hidden},
        "Plain": record(params=STRING),
        "Inner": {**record(params=STRING), **hidden},
        "Outer": record(inner=ref("Inner")),
    }
    envelopes = {"Call", "Response", "Failure", "Success"}
    assert find_envelopes(Definitions(definitions)) == envelopes


def test_lists_of_references_are_envelopes() -> None:
    hidden = {"x-docs-ignore": True}
    definitions = {
        "Lists": {"anyOf": [ref("Name"), NULL], **hidden},
        "Nested": {"anyOf": [{"anyOf": [ref("Name")]}, ref("Name")], **hidden},
        "Nothing": {"anyOf": [NULL], **hidden},
        "Mixed": {"anyOf": [ref("Name"), {**STRING, "minLength": 1}], **hidden},
        "Named": {"anyOf": [ref("Name")], "properties": {"name": STRING}, **hidden},
        "Name": STRING,
    }
    assert find_envelopes(Definitions(definitions)) == {"Lists", "Nested"}
