"""Names that are reserved for the templates and the runtime and must not be generated.

The names are extracted from the templates, so every name that a template uses is reserved.
"""

from __future__ import annotations

import builtins
import re
from functools import cache
from pathlib import Path

import jinja2

from acpgen.common import paths

# The modules that a surface can contain, except the modules that are named after its sides.
SURFACE_MODULES = frozenset(
    {
        *("agent_session", "client_session", "codec", "definitions", "facts", "kit", "methods"),
        *("protocols", "session", "types"),
    }
)

_IDENTIFIER = re.compile(r"(?<![\w.\"'])[A-Za-z_]\w*(?![\w\"'])")
_STRINGS_AND_COMMENTS = re.compile(r'"""[\s\S]*?"""|"[^"\n]*"|#.*')
_CLASS = re.compile(r"^class (\w+)([\s\S]*?)(?=^[A-Za-z@]|\Z)", re.M)
_ATTRIBUTE = re.compile(r"\bself\.([a-z]\w*)|\bdef ([a-z]\w*)|^    ([a-z]\w*): ", re.M)
# The decorators and method signatures in a class body.
_HEAD = re.compile(r"^    @.*|^    (?:async )?def [\s\S]*?\)(?: -> [^\n]*)?:$", re.M)
# A placeholder that replaces expressions in a template to separate the surrounding identifiers.
_GAP = "·"

# The built-in classes used in annotations in class bodies.
_BUILTIN_TYPES = frozenset({"bool", "dict", "float", "int", "list", "str"})
_BUILTINS = frozenset(name for name in dir(builtins) if name.islower())
# Names that datamodel-code-generator uses in `types.py` and that no template contains.
_TYPES_MODULE = frozenset({"Literal", "SchemaDocument", "Union"})
# Parameters that methods accept in addition to a record's fields.
_PARAMETERS = frozenset({"cls", "peer", "self"})
# The templates of a surface's modules.
_SURFACE = ("types", "codec", "methods", "session", "package/surface.jinja")


@cache
def module_names() -> frozenset[str]:
    """Return the names that generated modules use at module level."""
    return _TYPES_MODULE | _used_by(*_SURFACE)


@cache
def extension_names() -> frozenset[str]:
    """Return the names that extension modules use in addition to `module_names`."""
    return _used_by("extension")


@cache
def record_members() -> frozenset[str]:
    """Return the names of a record's attributes and of parameters used alongside its fields."""
    return _attributes("runtime/values/record.py:Record") | _PARAMETERS


@cache
def view_members() -> frozenset[str]:
    """Return the names of the attributes that every view of `_meta` has."""
    return _attributes("runtime/values/extending.py:MetaView")


@cache
def handler_methods() -> frozenset[str]:
    """Return the attribute names of handlers, stubs, and the classes that manage sessions.

    Names used in the bodies of these classes are also included, because a method with the same name
    would shadow them.
    """
    return _used_by("methods") | _attributes(
        "runtime/jsonrpc/handler.py:Handler",
        "runtime/jsonrpc/stub.py:Stub",
        "runtime/session/agent_sessions.py:AgentSessions",
        "runtime/session/client_sessions.py:Sessions",
        "session/client.jinja:SessionClient",
        "session/agent.jinja:SessionAgent",
    )


@cache
def state_members() -> frozenset[str]:
    """Return the names of the attributes that every session state has."""
    return _attributes("runtime/session/state.py:State")


@cache
def client_session_members() -> frozenset[str]:
    """Return the names of a client session's attributes and of built-ins that its class uses."""
    # Names in method bodies do not matter, because attributes of the class don't shadow them.
    heads = "\n".join(_HEAD.findall(_class_body("session/client.jinja:ClientSession")))
    names = _BUILTINS.intersection(re.findall(r"\w+", heads))
    return _BUILTIN_TYPES.union(names) | _attributes(
        "runtime/session/client.py:ClientSession",
        "runtime/session/client.py:ReportedSession",
        "runtime/session/setup.py:SessionSetup",
        "session/client.jinja:ClientSession",
    )


@cache
def agent_session_members() -> frozenset[str]:
    """Return the names of an agent session's attributes and of built-in types."""
    return _BUILTIN_TYPES | _attributes(
        "runtime/session/agent.py:AgentSession",
        "runtime/session/agent.py:AnsweringSession",
        "runtime/session/agent_reporting.py:ReportingSession",
        "runtime/session/setup.py:SessionSetup",
        "session/agent.jinja:AgentSession",
    )


def _attributes(*classes: str) -> frozenset[str]:
    """Return the names of the public attributes of classes, given as `FILE:CLASS`."""
    names = [groups for class_ in classes for groups in _ATTRIBUTE.findall(_class_body(class_))]
    return frozenset(name for groups in names for name in groups if name)


def _class_body(class_: str) -> str:
    template, _, name = class_.partition(":")
    bodies: dict[str, str] = dict(_CLASS.findall(_source(_text(template))))
    return bodies[name]


def _used_by(*templates: str) -> frozenset[str]:
    """Return the identifiers in the text of templates, except in strings and comments."""
    found: set[str] = set()
    for name in templates:
        source = paths.TEMPLATES / name
        for path in [source] if source.is_file() else source.rglob("*.jinja*"):
            found.update(_IDENTIFIER.findall(_STRINGS_AND_COMMENTS.sub(_GAP, _source(_text(path)))))
    return frozenset(found)


def _text(template: str | Path) -> str:
    return (paths.TEMPLATES / template).read_text(encoding="utf-8")


def _source(template: str) -> str:
    """Return the literal text of a template, including strings in its expressions."""
    parts: list[str] = []
    for _, kind, text in jinja2.Environment().lex(template):
        if kind == "data":
            parts.append(text)
        elif kind == "string":
            parts.append(f" {text[1:-1]} ")
        elif kind in ("variable_begin", "variable_end"):
            parts.append(_GAP)
    return "".join(parts)
