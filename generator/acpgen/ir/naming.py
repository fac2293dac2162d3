"""Names of the output. All of them are made here."""

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

    For example, `tool_call_update` becomes `ToolCallUpdate`. So the alias for the field
    `stopReason` is `StopReason`, and a variant is named after its tag.
    """
    words = re.findall(r"[A-Za-z0-9]+", text)
    return "".join(word[0].upper() + word[1:] for word in words)


def snake(text: str) -> str:
    """Convert to snake case: `searchAndReplace` to `search_and_replace`, `_meta` to `meta`."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3_\2\4", text)
    return "_".join(re.findall(r"[a-z0-9]+", spaced.lower()))


def member_name(wire: str) -> str:
    """Return the Python name of a field; a keyword gets a trailing underscore."""
    name = snake(wire)
    return name + "_" if keyword.iskeyword(name) else name


def definition_class(name: str) -> str:
    """Return the class of a definition: its name, capitalized unless it looks like a class."""
    return pascal(name) if is_identifier(name) and not _has_class_form(name) else name


def arm_class(label: str, union: str) -> str:
    """Return the class of a variant without a definition; `label` is its tag or title."""
    return pascal(label) + union


def unknown_class(union: str) -> str:
    """Return the class for objects of a union with an unknown tag."""
    return "Unknown" + union


def known_alias(union: str) -> str:
    """Return the alias of the classes of a union with known tags."""
    return "Known" + union


def inline_class(owner: str, wire: str) -> str:
    """Return the class of an object that is defined inline by a field."""
    return owner + pascal(wire)


def qualified(surface: str, name: str) -> str:
    """Return the name of another surface's class in the modules of an extension."""
    return f"{surface}.{name}"


def unqualified(name: str) -> str:
    """Remove the surface from a name: `v2.ToolCall` to `ToolCall`; keep other names."""
    return name.rpartition(".")[2]


def meta_record(owner: str) -> str:
    """Return the class of the entries that an extension adds to the `_meta` of a class."""
    return f"{owner}Meta"


def meta_view(owner: str) -> str:
    """Return the class that gives access to these entries."""
    return f"{owner}MetaView"


def meta_entry(key: str) -> str:
    """Return the name of an entry of `_meta`: `acme.dev/lineNumber` to `line_number`."""
    return member_name(key.rpartition("/")[2])


def method_name(wire: str, *, twin: bool = False) -> str:
    """Return the name of a method: `session/request_permission` to `session_request_permission`.

    `twin` is true for a notification that shares its wire name with a request.
    """
    name = member_name(wire.replace("/", "_"))
    return name.rstrip("_") + "_notification" if twin else name


def session_method(wire: str, name: str, taken: Collection[str]) -> str:
    """Return a name such as `set_mode` for `session/set_mode`, or the method's own if taken."""
    used = {CREATE, LIST, *reserved.client_session_members(), *taken}
    group, _, action = wire.partition("/")
    short = member_name(action.replace("/", "_"))
    is_free = group == "session" and is_member_name(short) and short not in used
    return short if is_free else _free(name, used)


def extension_name(kind: str) -> str:
    """Return the Python method for requests or notifications of extensions."""
    return f"ext_{kind}"


def constant(side: str, name: str) -> str:
    """Return the constant of a method."""
    return f"{side}_{name}".upper().rstrip("_")


def rule_name(tag: str) -> str:
    """Return the constant of the rule for a kind of session update."""
    return f"_{snake(tag)}".upper()


def session_call(wire: str, name: str, taken: Collection[str]) -> str:
    """Return the name of a call to the client in agent sessions, such as `ask_permission`."""
    used = {*reserved.agent_session_members(), *taken}
    return _free(ASK if wire == "session/request_permission" else name, used)


def sender_name(tag: str, tags: Collection[str], update: str, taken: Collection[str]) -> str:
    """Return a name such as `usage` for `usage_update`, or one from the class if taken."""
    short = tag.removesuffix("_update")
    name = member_name(tag if short in tags else short)
    if not is_member_name(name):
        name = member_name(update)
    return _free(name, {*reserved.agent_session_members(), *taken})


def statement_name(side: str, member: str, taken: Collection[str]) -> str:
    """Return a name such as `info` for `agent_info`, unless a method or handler uses it."""
    used = {*reserved.handler_methods(), *taken}
    short = member.removeprefix(f"{side}_")
    return _free(member if short in used else short, used)


def _free(name: str, used: Collection[str]) -> str:
    while name in used:
        name += "_"
    return name


def object_class(alias: str) -> str:
    """Return the class of the objects among the values of an alias."""
    return alias + "Object"


def output_name(collection: str) -> str:
    """Return the collection for the output of entries: `terminals` to `terminal_output`."""
    return collection.removesuffix("s") + "_output"


def names_reserved_by(side: str, name: str) -> tuple[str, ...]:
    """Return the other names that a surface defines for a method."""
    return (
        constant(side, name),
        f"{side}_methods".upper(),
        pascal(side) + "Handler",
        pascal(side) + "Methods",
        pascal(side) + "Stub",
    )


def is_class_name(name: str) -> bool:
    """Return whether a name can be a class or alias of the output."""
    return _has_class_form(name) and name not in reserved.module_names()


def _has_class_form(name: str) -> bool:
    """Return whether a name is capitalized and not derived from other names by the codec.

    The codec derives `_NAME_arms` and so on. Its functions and variables are in lower case.
    """
    return (
        is_python_name(name)
        and bool(re.match("[A-Z]", name))
        and not re.search("_([a-z]+)?$", name)
    )


def is_member_name(name: str) -> bool:
    """Return whether a name can be a field of a generated class."""
    return is_python_name(name) and name not in reserved.record_members()


def is_entry_name(name: str) -> bool:
    """Return whether a view of `_meta` can have an entry with that name."""
    return is_member_name(name) and name not in reserved.view_members()


def is_slot_name(name: str) -> bool:
    """Return whether a session state can have an additional attribute with that name."""
    return is_member_name(name) and name not in reserved.state_members()


def is_sender_name(name: str) -> bool:
    """Return whether an agent session can have another method with that name."""
    return is_python_name(name) and name not in reserved.agent_session_members()


def is_method_name(name: str) -> bool:
    """Return whether a name can be a Python method of handlers and stubs."""
    extensions = {extension_name(kind) for kind in ("request", "notification")}
    used = extensions | reserved.handler_methods()
    return is_member_name(name) and not name.startswith("_") and name not in used


def is_side_name(name: str) -> bool:
    """Return whether a side can have a module with that name."""
    return is_member_name(name) and name not in reserved.SURFACE_MODULES


def is_identifier(name: str) -> bool:
    """Return whether a name is an ASCII identifier, including keywords."""
    return name.isidentifier() and name.isascii()


def is_python_name(name: str) -> bool:
    """Return whether a name can be any Python name in ASCII."""
    return is_identifier(name) and not keyword.iskeyword(name)
