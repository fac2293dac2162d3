"""Names that the templates and the runtime use themselves; nothing generated may take them.

They are read from the templates: a name that a template starts to use is reserved from then on.
"""

from __future__ import annotations

import builtins
import re
from functools import cache
from pathlib import Path

import jinja2

from acpgen.common import paths

# Modules that every surface may have; no side can have one of these names.
SURFACE_MODULES = frozenset(
    {
        "agent_session",
        "client_session",
        "codec",
        "definitions",
        "facts",
        "methods",
        "protocols",
        "session",
        "types",
    }
)

_IDENTIFIER = re.compile(r"(?<![\w.\"'])[A-Za-z_]\w*(?![\w\"'])")
_STRINGS_AND_COMMENTS = re.compile(r'"""[\s\S]*?"""|"[^"\n]*"|#.*')
_CLASS = re.compile(r"^class (\w+)([\s\S]*?)(?=^[A-Za-z@]|\Z)", re.M)
_ATTRIBUTE = re.compile(r"\bself\.([a-z]\w*)|\bdef ([a-z]\w*)|^    ([a-z]\w*): ", re.M)
# What stands in a class body itself: decorators and the heads of methods.
_HEAD = re.compile(r"^    @.*|^    (?:async )?def [\s\S]*?\)(?: -> [^\n]*)?:$", re.M)
# Takes the place of a template's expressions, so that no identifier reaches across one.
_GAP = "·"

# The built-in classes that annotations name, also in the body of a class.
_BUILTIN_TYPES = frozenset({"bool", "dict", "float", "int", "list", "str"})
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower())
# Names that datamodel-code-generator uses itself when it writes `types.py`.
_TYPES_MODULE = frozenset(
    {"Annotated", "Any", "Literal", "SchemaDocument", "TypeAlias", "Union", "field"}
)
# The other parameters of methods that take the members of a record.
_PARAMETERS = frozenset({"cls", "peer", "self"})
# Where the modules of a surface are rendered from.
_SURFACE = ("types", "codec", "methods", "session", "package/surface.jinja")


@cache
def module_names() -> frozenset[str]:
    """Names that generated modules use at module level; no definition may have one of them."""
    return _BUILTINS | _TYPES_MODULE | _used_by(*_SURFACE)


@cache
def extension_names() -> frozenset[str]:
    """Names that the modules of an extension use besides the names that surfaces use."""
    return _used_by("extension")


@cache
def record_members() -> frozenset[str]:
    """Return the attributes of records, and other parameters of methods that take members."""
    return _attributes("runtime/values/record.py", "Record") | _PARAMETERS


@cache
def view_members() -> frozenset[str]:
    """Attributes of every view of `_meta`."""
    return _attributes("runtime/values/extending.py", "MetaView")


@cache
def handler_methods() -> frozenset[str]:
    """Return the attributes of every handler and stub, also of agents and clients with sessions.

    So are the names that the bodies of these classes use: a method would hide them.
    """
    sources = [
        _attributes("runtime/jsonrpc/handler.py", "Handler"),
        _attributes("runtime/jsonrpc/stub.py", "Stub"),
        _attributes("runtime/session/agent_sessions.py", "AgentSessions"),
        _attributes("runtime/session/client_sessions.py", "Sessions"),
        _attributes("session/client.jinja", "SessionClient"),
        _attributes("session/agent.jinja", "SessionAgent"),
    ]
    return _used_by("methods").union(*sources)


@cache
def state_members() -> frozenset[str]:
    """Attributes of every session state."""
    return _attributes("runtime/session/state.py", "State")


@cache
def client_session_members() -> frozenset[str]:
    """Attributes of every client session, and the built-in names that its class body uses."""
    own = [
        _attributes("runtime/session/client.py", "ClientSession"),
        _attributes("runtime/session/client.py", "ReportedSession"),
        _attributes("runtime/session/setup.py", "SessionSetup"),
    ]
    generated = _attributes("session/client.jinja", "ClientSession")
    names = _body_names("session/client.jinja", "ClientSession")
    return generated.union(_BUILTIN_TYPES, names, *own)


@cache
def agent_session_members() -> frozenset[str]:
    """Attributes of every agent session."""
    own = [
        _attributes("runtime/session/agent.py", "AgentSession"),
        _attributes("runtime/session/agent.py", "AnsweringSession"),
        _attributes("runtime/session/agent_reporting.py", "ReportingSession"),
        _attributes("runtime/session/setup.py", "SessionSetup"),
    ]
    generated = _attributes("session/agent.jinja", "AgentSession")
    return generated.union(_BUILTIN_TYPES, *own)


def _used_by(*templates: str) -> frozenset[str]:
    """Return the identifiers in the source that templates write."""
    found = (_IDENTIFIER.findall(source) for source in _sources(*templates))
    return frozenset[str]().union(*found)


def _attributes(template: str, class_name: str) -> frozenset[str]:
    """The public attributes that a class states or assigns."""
    names = _ATTRIBUTE.findall(_class_body(template, class_name))
    return frozenset(name for groups in names for name in groups if name)


def _body_names(template: str, class_name: str) -> frozenset[str]:
    """Built-in names that the class body itself uses, outside of the bodies of its methods."""
    heads = "\n".join(_HEAD.findall(_class_body(template, class_name)))
    return _BUILTINS.intersection(re.findall(r"\w+", heads))


def _class_body(template: str, class_name: str) -> str:
    bodies: dict[str, str] = dict(_CLASS.findall(_source(_text(template))))
    return bodies[class_name]


def _sources(*templates: str) -> list[str]:
    """The source that templates write, without strings and comments."""
    sources: list[str] = []
    for name in templates:
        source = paths.TEMPLATES / name
        files = [source] if source.is_file() else sorted(source.rglob("*.jinja*"))
        sources += [_STRINGS_AND_COMMENTS.sub(_GAP, _source(_text(path))) for path in files]
    return sources


def _text(template: str | Path) -> str:
    return (paths.TEMPLATES / template).read_text(encoding="utf-8")


def _source(template: str) -> str:
    """What a template writes by itself. Strings in its expressions may also be source."""
    parts: list[str] = []
    for _, kind, text in jinja2.Environment().lex(template):
        if kind == "data":
            parts.append(text)
        elif kind == "string":
            parts.append(f" {text[1:-1]} ")
        elif kind in ("variable_begin", "variable_end"):
            parts.append(_GAP)
    return "".join(parts)
