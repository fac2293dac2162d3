"""Functions that create all names in the generated code."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection

from acpgen.ir import reserved

CREATE = "create"  # the client session's method that creates a session
LIST = "list_sessions"  # the client session's method that lists sessions
ASK = "ask_permission"  # the agent session's method that requests permission


def pascal(text: str) -> str:
    """Convert a name to Pascal case, keeping existing capitals.

    For example, the class of a variant with the tag `tool_call_update` is `ToolCallUpdate`, and the
    alias for a field `stopReason` is `StopReason`.
    """
    words = re.findall(r"[A-Za-z0-9]+", text)
    return "".join(word[0].upper() + word[1:] for word in words)


def snake(text: str) -> str:
    """Convert a name to snake case, removing leading and trailing underscores.

    For example, `searchAndReplace` becomes `search_and_replace`, and `_meta` becomes `meta`.
    """
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3_\2\4", text)
    return "_".join(re.findall(r"[a-z0-9]+", spaced.lower()))


def member_name(wire: str) -> str:
    """Return the Python name of a field, with an underscore appended to keywords."""
    name = snake(wire)
    return name + "_" if keyword.iskeyword(name) else name


def definition_class(name: str) -> str:
    """Return the class name of a definition: its own name, in Pascal case if necessary."""
    return pascal(name) if is_identifier(name) and not _has_class_form(name) else name


def arm_class(label: str, union: str) -> str:
    """Return the class name of a variant without a definition, based on its tag or title."""
    return pascal(label) + union


def unknown_class(union: str) -> str:
    """Return the name of a union's class for objects with an unknown tag."""
    return "Unknown" + union


def known_alias(union: str) -> str:
    """Return the name of a union's alias for the classes with known tags."""
    return "Known" + union


def inline_class(owner: str, wire: str) -> str:
    """Return the class name of an object that a field defines inline."""
    return owner + pascal(wire)


def qualified(surface: str, name: str) -> str:
    """Return the name that an extension's modules use for another surface's class."""
    return f"{surface}.{name}"


def unqualified(name: str) -> str:
    """Remove the surface from a qualified name such as `v2.ToolCall`.

    Unqualified names are returned unchanged.
    """
    return name.rpartition(".")[2]


def meta_record(owner: str) -> str:
    """Return the name of the class for the `_meta` entries that an extension adds to a class."""
    return f"{owner}Meta"


def meta_view(owner: str) -> str:
    """Return the name of the class that provides access to an extension's `_meta` entries."""
    return f"{owner}MetaView"


def meta_entry(key: str) -> str:
    """Return the Python name of a `_meta` entry, such as `line_number` for
    `acme.dev/lineNumber`."""
    return member_name(key.rpartition("/")[2])


def method_name(wire: str, *, twin: bool = False) -> str:
    """Return the Python name of a method, such as `session_set_mode` for `session/set_mode`.

    `twin` is true for a notification that shares its wire name with a request.
    """
    name = member_name(wire)
    return name.removesuffix("_") + "_notification" if twin else name


def session_method(wire: str, name: str, taken: Collection[str]) -> str:
    """Return the name of the client session's method that calls a protocol method.

    The name is the part of the wire name after `session/`, such as `set_mode`. If that part is
    taken or invalid, `name` is used, with underscores appended if necessary.
    """
    used = {CREATE, LIST, *reserved.client_session_members(), *taken}
    group, _, action = wire.partition("/")
    short = member_name(action)
    is_free = group == "session" and is_member_name(short) and short not in used
    return short if is_free else _free(name, used)


def extension_name(kind: str) -> str:
    """Return the name of the Python method for an extension's requests or notifications."""
    return f"ext_{kind}"


def constant(side: str, name: str) -> str:
    """Return the name of the constant that contains a method's wire name."""
    return f"{side}_{name}".upper().rstrip("_")


def rule_name(tag: str) -> str:
    """Return the name of the constant that contains the rule for a session update."""
    return f"_{snake(tag)}".upper()


def session_call(wire: str, name: str, taken: Collection[str]) -> str:
    """Return the name of the agent session's method that calls a client method."""
    used = {*reserved.agent_session_members(), *taken}
    return _free(ASK if wire == "session/request_permission" else name, used)


def sender_name(tag: str, tags: Collection[str], update: str, taken: Collection[str]) -> str:
    """Return the name of the agent session's method that sends an update.

    The name is derived from the tag, such as `usage` for `usage_update`, or from the class if the
    tag isn't a valid name.
    """
    short = tag.removesuffix("_update")
    name = member_name(tag if short in tags else short)
    if not is_member_name(name):
        name = member_name(update)
    return _free(name, {*reserved.agent_session_members(), *taken})


def statement_name(side: str, member: str, taken: Collection[str]) -> str:
    """Return the name of the handler attribute that sets a field of `initialize`.

    The side is omitted from the name, as in `info` for `agent_info`, unless handlers already have a
    method or attribute with the short name.
    """
    used = {*reserved.handler_methods(), *taken}
    short = member.removeprefix(f"{side}_")
    return _free(member if short in used else short, used)


def _free(name: str, used: Collection[str]) -> str:
    while name in used:
        name += "_"
    return name


def object_class(alias: str) -> str:
    """Return the name of the class for the objects that an alias allows."""
    return alias + "Object"


def output_name(collection: str) -> str:
    """Return the name of the collection for the output of another collection's entries.

    For example, the output of `terminals` is in `terminal_output`.
    """
    return collection.removesuffix("s") + "_output"


def names_reserved_by(side: str, name: str) -> tuple[str, ...]:
    """Return the names of the constants and classes that a surface defines for a method."""
    return (
        constant(side, name),
        f"{side}_methods".upper(),
        pascal(side) + "Handler",
        pascal(side) + "Methods",
        pascal(side) + "Stub",
    )


def is_class_name(name: str) -> bool:
    """Return whether a name is valid for a generated class or alias."""
    return _has_class_form(name) and name not in reserved.module_names()


def _has_class_form(name: str) -> bool:
    """Return whether a name is capitalized and doesn't clash with a name derived by the codec.

    The codec derives names such as `_NAME_arms`. Its other names are lowercase and therefore can't
    clash with a capitalized name.
    """
    return (
        is_python_name(name)
        and bool(re.match("[A-Z]", name))
        and not re.search("_([a-z]+)?$", name)
    )


def is_member_name(name: str) -> bool:
    """Return whether a name is valid for a field of a generated class."""
    return is_python_name(name) and name not in reserved.record_members()


def is_entry_name(name: str) -> bool:
    """Return whether a name is valid for an entry in a view of `_meta`."""
    return is_member_name(name) and name not in reserved.view_members()


def is_slot_name(name: str) -> bool:
    """Return whether a name is valid for a collection or slot in a session state."""
    return is_member_name(name) and name not in reserved.state_members()


def is_sender_name(name: str) -> bool:
    """Return whether a name is valid for a generated method of an agent session."""
    return is_python_name(name) and name not in reserved.agent_session_members()


def is_method_name(name: str) -> bool:
    """Return whether a name is valid for a method of handlers and stubs."""
    extensions = {extension_name(kind) for kind in ("request", "notification")}
    used = extensions | reserved.handler_methods()
    return is_member_name(name) and not name.startswith("_") and name not in used


def is_side_name(name: str) -> bool:
    """Return whether a name is valid for a side and for the side's module."""
    return is_member_name(name) and name not in reserved.SURFACE_MODULES


def is_identifier(name: str) -> bool:
    """Return whether a name is an ASCII identifier, including keywords."""
    return name.isidentifier() and name.isascii()


def is_python_name(name: str) -> bool:
    """Return whether a name is an ASCII identifier and not a keyword."""
    return is_identifier(name) and not keyword.iskeyword(name)
