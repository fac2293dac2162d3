"""Classification of JSON-RPC messages and checks of their top-level fields."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from acp_bindings.runtime.jsonrpc.messages import as_integer, is_id
from acp_bindings.runtime.values.errors import describe

from acpwire.json_values import quote
from acpwire.rules.entry import EntryKind, Finding


def find_kind(message: Any) -> EntryKind:
    """Return the most likely kind of a message, even if the message is malformed."""
    if type(message) is not dict:
        return "invalid"
    if type(message.get("method")) is str:
        return "request" if "id" in message else "notification"
    if "method" in message:
        return "invalid"
    if "result" in message or "error" in message or message.keys() >= {"jsonrpc", "id"}:
        return "response"
    return "invalid"


def outcomes(message: dict[str, Any]) -> list[str]:
    """Return which of `result` and `error` a response contains.

    A null field is ignored if the other field isn't null. If both are null, `error` is ignored.
    """
    named: list[str] = [name for name in ("result", "error") if name in message]
    return [name for name in named if message[name] is not None] or named[:1]


def check_envelope(message: Any) -> list[Finding]:
    """Check the fields of a message, except fields that depend on its method."""
    if type(message) is not dict:
        text = f"expected a JSON-RPC message, found {describe(message)}"
        return [Finding("", text, "json-lines")]
    findings: list[Finding] = []
    if message.get("jsonrpc") != "2.0":
        finding = _wrong(message, "jsonrpc", '"2.0"')
        findings.append(replace(finding, requirement="jsonrpc-member"))
    kind = find_kind(message)
    if "method" in message and kind == "invalid":
        findings.append(_wrong(message, "method", "string"))
    elif kind == "invalid":
        findings.append(Finding("", "expected a method, a result or an error, found none"))
    if "id" in message and not is_id(message["id"]):
        findings.append(_wrong(message, "id", "string or integer"))
    if kind == "response":
        if "id" not in message:
            findings.append(_wrong(message, "id", "string or integer"))
        has = outcomes(message)
        if len(has) != 1:
            found = "both" if has else "neither"
            findings.append(Finding("", f"expected a result or an error, found {found}"))
        elif has == ["error"]:
            findings += _check_error(message["error"])
    elif "method" in message:
        outcome = [name for name in ("result", "error") if name in message]
        findings += [
            Finding(f"/{name}", "not allowed in a message with a method") for name in outcome
        ]
    return findings


def _check_error(error: Any) -> list[Finding]:
    if type(error) is not dict:
        return [Finding("/error", f"expected object, found {describe(error)}")]
    findings: list[Finding] = []
    if as_integer(error.get("code")) is None:
        findings.append(_wrong(error, "code", "integer", "/error"))
    if type(error.get("message")) is not str:
        findings.append(_wrong(error, "message", "string", "/error"))
    return findings


def _wrong(holder: dict[str, Any], name: str, expected: str, place: str = "") -> Finding:
    actual = quote(holder[name]) if name in holder else "nothing"
    return Finding(f"{place}/{name}", f"expected {expected}, found {actual}")
