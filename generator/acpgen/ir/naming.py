"""Make the names of the output; no other module makes any."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection

from acpgen.ir import reserved

CREATE = "create"  # the client session's method that makes a session
LIST = "list_sessions"  # the client session's method that lists sessions
ASK = "ask_permission"  # the agent session's method that asks for a permission


def pascal(text: str) -> str:
    """`tool_call_update` -> `ToolCallUpdate`; keeps the capitals that are there.

    So the alias for the member `stopReason` is `StopReason`, and an arm is named after its tag.
    """
    words = re.findall(r"[A-Za-z0-9]+", text)
    return "".join(word[0].upper() + word[1:] for word in words)


def snake(text: str) -> str:
    """`searchAndReplace` -> `search_and_replace`, `mimeType` -> `mime_type`, `_meta` -> `meta`."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3_\2\4", text)
    return "_".join(re.findall(r"[a-z0-9]+", spaced.lower()))


def member_name(wire: str) -> str:
    """The Python name of a member; a keyword gets a trailing underscore."""
    name = snake(wire)
    return name + "_" if keyword.iskeyword(name) else name


def definition_class(name: str) -> str:
    """Return the class of a definition: its name, capitalized unless it looks like a class."""
    return pascal(name) if is_identifier(name) and not _has_class_form(name) else name


def arm_class(label: str, union: str) -> str:
    """The class of an arm without a definition of its own; `label` is its tag or title."""
    return pascal(label) + union


def unknown_class(union: str) -> str:
    """The class for objects of a union with an unlisted tag."""
    return "Unknown" + union


def known_alias(union: str) -> str:
    """The alias of the classes of a union that have a listed tag."""
    return "Known" + union


def inline_class(owner: str, wire: str) -> str:
    """The class of an object that a member defines in place."""
    return owner + pascal(wire)


def qualified(surface: str, name: str) -> str:
    """The name of another surface's class, as the modules of an extension write it."""
    return f"{surface}.{name}"


def unqualified(name: str) -> str:
    """`v2.ToolCall` -> `ToolCall`; other names as they are."""
    return name.rpartition(".")[2]


def meta_record(owner: str) -> str:
    """The class of the entries that an extension adds to the `_meta` of a class."""
    return f"{owner}Meta"


def meta_view(owner: str) -> str:
    """The class that gives access to these entries."""
    return f"{owner}MetaView"


def meta_entry(key: str) -> str:
    """`acme.dev/lineNumber` -> `line_number`, for an entry of `_meta`."""
    return member_name(key.rpartition("/")[2])


def method_name(wire: str, *, twin: bool = False) -> str:
    """`session/request_permission` -> `session_request_permission`.

    A notification that shares its wire name with a request is its `twin`.
    """
    name = member_name(wire.replace("/", "_"))
    return name.rstrip("_") + "_notification" if twin else name


def session_method(wire: str, name: str, taken: Collection[str]) -> str:
    """`session/set_mode` -> `set_mode`; the method's own name where that is taken."""
    used = {CREATE, LIST, *reserved.client_session_members(), *taken}
    group, _, action = wire.partition("/")
    short = member_name(action.replace("/", "_"))
    is_free = group == "session" and is_member_name(short) and short not in used
    return short if is_free else _free(name, used)


def extension_name(kind: str) -> str:
    """The Python method for the requests, or notifications, of extensions."""
    return f"ext_{kind}"


def constant(side: str, name: str) -> str:
    """The constant of a method."""
    return f"{side}_{name}".upper().rstrip("_")


def rule_name(tag: str) -> str:
    """The constant of the rule for a kind of session update."""
    return f"_{snake(tag)}".upper()


def session_call(wire: str, name: str, taken: Collection[str]) -> str:
    """Return the name of a call to the client in agent sessions, such as `ask_permission`."""
    used = {*reserved.agent_session_members(), *taken}
    return _free(ASK if wire == "session/request_permission" else name, used)


def sender_name(tag: str, tags: Collection[str], update: str, taken: Collection[str]) -> str:
    """`usage_update` -> `usage`, unless that is another tag; or named after the update's class."""
    short = tag.removesuffix("_update")
    name = member_name(tag if short in tags else short)
    if not is_member_name(name):
        name = member_name(update)
    return _free(name, {*reserved.agent_session_members(), *taken})


def statement_name(side: str, member: str, taken: Collection[str]) -> str:
    """`agent_info` -> `info`, unless a method or each handler has that name."""
    used = {*reserved.handler_methods(), *taken}
    short = member.removeprefix(f"{side}_")
    return _free(member if short in used else short, used)


def _free(name: str, used: Collection[str]) -> str:
    while name in used:
        name += "_"
    return name


def object_class(alias: str) -> str:
    """The class of the objects among the values of an alias."""
    return alias + "Object"


def output_name(collection: str) -> str:
    """The collection of the output of entries: `terminals` -> `terminal_output`."""
    return collection.removesuffix("s") + "_output"


def names_reserved_by(side: str, name: str) -> tuple[str, ...]:
    """The names that a surface has because of a method, besides the method's own."""
    return (
        constant(side, name),
        f"{side}_methods".upper(),
        pascal(side) + "Handler",
        pascal(side) + "Methods",
        pascal(side) + "Stub",
    )


def is_class_name(name: str) -> bool:
    """Whether a name can be a class or alias of the output."""
    return _has_class_form(name) and name not in reserved.module_names()


def _has_class_form(name: str) -> bool:
    """Return whether a name is capitalized and not derived from others by the codec.

    It derives `_NAME_arms` and so on. Names of functions and of their variables are in lower case.
    """
    return (
        is_python_name(name)
        and bool(re.match("[A-Z]", name))
        and not re.search("_([a-z]+)?$", name)
    )


def is_member_name(name: str) -> bool:
    """Whether a name can be a field of a class of the output."""
    return is_python_name(name) and name not in reserved.record_members()


def is_entry_name(name: str) -> bool:
    """Whether a view of `_meta` can have an entry of that name."""
    return is_member_name(name) and name not in reserved.view_members()


def is_slot_name(name: str) -> bool:
    """Whether a session state can have an attribute of that name besides its own."""
    return is_member_name(name) and name not in reserved.state_members()


def is_sender_name(name: str) -> bool:
    """Return whether an agent session can have another method of that name."""
    return is_python_name(name) and name not in reserved.agent_session_members()


def is_method_name(name: str) -> bool:
    """Whether a name can be a Python method of handlers and stubs."""
    extensions = {extension_name(kind) for kind in ("request", "notification")}
    used = extensions | reserved.handler_methods()
    return is_member_name(name) and not name.startswith("_") and name not in used


def is_side_name(name: str) -> bool:
    """Whether a side can have a module of that name."""
    return is_member_name(name) and name not in reserved.SURFACE_MODULES


def is_identifier(name: str) -> bool:
    """Return whether a name is an identifier, or a keyword, in ASCII."""
    return name.isidentifier() and name.isascii()


def is_python_name(name: str) -> bool:
    """Whether a name can be any name in Python, in ASCII."""
    return is_identifier(name) and not keyword.iskeyword(name)
