"""The docstrings of types, handlers and stubs."""

from __future__ import annotations

from collections.abc import Iterable

from acpgen.emit.contexts.annotations_and_defaults import UNKNOWN, constructor_members
from acpgen.emit.python import quoting
from acpgen.ir import naming
from acpgen.ir.model import Alias, Definition, Enumeration, Method, Record, TaggedUnion
from acpgen.ir.naming import unqualified
from acpgen.ir.queries import handshake, members_of, unknown_of
from acpgen.ir.surface import Surface
from acpgen.ir.wording import describe_formats, describe_member, describe_values


def documentation(surface: Surface) -> dict[str, str]:
    """Return the text of each docstring, by class or alias."""
    uses = _uses(surface)
    texts: dict[str, str] = {}
    for name, definition in surface.definitions.items():
        summary = _summary(definition, surface, uses.get(name, []))
        source = _source(uses.get(name, []), definition.pointer, surface)
        texts[name] = "\n\n".join([summary, *_values(definition, surface), source])
        unknown = unknown_of(definition)
        if not isinstance(definition, TaggedUnion) or unknown is None:
            continue
        about = f"Any {name} with an unrecognized {definition.tag}"
        if unknown.synthetic:
            about += ". The default mode accepts it, but strict mode rejects it."
        else:
            about += ", which is custom or from a later protocol version. Both modes accept it."
        texts[unknown.name] = f"{about}\n\n{_source([], unknown.pointer, surface)}"
        about = f"Any {name} with a known {definition.tag}, which excludes `{unknown.name}`."
        texts[unknown.known] = f"{about}\n\n{_source([], definition.pointer, surface)}"
    return texts


def _uses(surface: Surface) -> dict[str, list[str]]:
    """Return the methods that use each definition, and the unions and tags that select it."""
    uses: dict[str, list[str]] = {}
    for method in surface.methods:
        for name in (method.params, method.result):
            if name is not None and method.wire is not None:
                uses.setdefault(name, []).append(method.wire)
    for name, union in surface.definitions.items():
        match union:
            case TaggedUnion(arms=arms, tag=tag) | Record(subtypes=arms, discriminator=tag):
                for arm in arms:
                    uses.setdefault(arm.target, []).append(f'{name}, {tag} = "{arm.tag}"')
            case _:
                pass
    return uses


def _summary(definition: Definition, surface: Surface, uses: list[str]) -> str:
    """Return the schema's description, the overlay's summary, or a summary of the structure."""
    if definition.description:
        return definition.description.strip()
    if definition.definition is not None:
        summary = surface.summaries.get(definition.definition)
        return summary or f"The definition {definition.definition} in the schema."
    if definition.name in surface.class_summaries:
        return surface.class_summaries[definition.name]
    if isinstance(definition, Record) and definition.base is not None:
        return _summary(surface.known[definition.base], surface, [])
    if uses:
        return f"The variant of {uses[0]}."
    if isinstance(definition, Alias) and isinstance(definition.shape, Enumeration):
        return "Constants that the schema lists inline."
    owner = None if isinstance(definition, Alias) else definition.owner
    return f"A variant of {owner}." if owner else "An object that the schema defines inline."


def _values(definition: Definition, surface: Surface) -> list[str]:
    """Return the descriptions of an enumeration's constants, or the formats of other values."""
    if not isinstance(definition, Alias):
        return []
    shape = definition.shape
    if isinstance(shape, Enumeration):
        described = describe_values(surface, definition.name, shape)
        return _section("Values:", zip(map(str, shape.values), described, strict=True))
    return [text for text in [describe_formats(shape)] if text]


def _section(title: str, entries: Iterable[tuple[str, str | None]]) -> list[str]:
    lines = [f"    {name}: {' '.join(words.split())}" for name, words in entries if words]
    return ["\n".join([title, *lines])] if lines else []


def _source(uses: list[str], pointer: str, surface: Surface) -> str:
    wire = f"Wire: {'; '.join(uses)}. " if uses else ""
    return f"{wire}Source: {surface.schema_name}, {pointer.lstrip('/')}."


# --- methods ---------------------------------------------------------------------------------

# The method whose response determines the protocol version.
_INITIALIZE = "initialize"
_SENDERS = {"agent": "the client", "client": "the agent"}
_HANDLERS = {"agent": "the agent", "client": "the client"}
_OTHER = "the peer"


class Docstrings:
    """The docstrings of handlers and stubs, for use by templates."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface

    def handler(self, method: Method) -> str:
        """Return the docstring of the Python method that handles a method."""
        sender = _SENDERS.get(method.side, _OTHER)
        is_request = method.kind == "request"
        default = "replies with METHOD_NOT_FOUND" if is_request else "does nothing"
        use = f"Override this method. By default, it {default}."
        if method == handshake(self._surface.methods):
            use = "The default result is built from class attributes and implemented methods."
        about = f"Handles {_title(method)} from {sender}. {use}"
        raised = ["    RequestError: To reply with an error."] if is_request else []
        return self._docstring(method, about, raised)

    def stub(self, method: Method) -> str:
        """Return the docstring of the Python method that calls a method."""
        handler = _HANDLERS.get(method.side, _OTHER)
        is_request = method.kind == "request"
        result = " and returns its result" if is_request else ""
        about = f"Sends {_title(method)} to {handler}{result}."
        raised = [
            "    RequestError: If the response is an error.",
            f"    DecodeError: If the response is not a valid {method.result}.",
        ]
        raised = raised if is_request else []
        needs = [(method.capability, "")] if method.capability else []
        needs += [(need.capability, f" for {need.kind or need.member}") for need in method.needs]
        for capability, use in needs:
            pointer = capability.pointer
            raised.append(f"    CapabilityError: If {handler} did not advertise {pointer}{use}.")
        if method.wire is None:
            raised.append("    ValueError: If the name does not begin with an underscore.")
        if method.wire == _INITIALIZE:
            raised.append(
                "    VersionMismatch: If the response specifies another protocol version."
            )
        raised.append("    EncodeError: If the params cannot be encoded as JSON. Nothing is sent.")
        raised.append("    ConnectionClosed: If the connection is closed.")
        return self._docstring(method, about, raised)

    def sender(self, name: str) -> str:
        """Return the docstring of a method that sends an update of the given class."""
        about = _summary(self._surface.definitions[name], self._surface, [])
        return _text([f"Send a `{name}`.", about, *self._arguments(name)])

    def session_call(self, method: Method, params: str, note: str, given: str) -> str:
        """Return the docstring of a session method that calls the peer.

        Args:
            params: the class of the params.
            note: a sentence about an additional effect, or an empty string.
            given: the wire name of a field to omit because its value is already known.
        """
        stub = f"See `{naming.pascal(method.side)}Stub.{method.name}`."
        parts = [method_summary(method, self._surface), note, stub]
        return _text([*filter(None, parts), *self._arguments(params, given)])

    def statement(self, name: str, member_name: str) -> str:
        """Return the description of a field that a statement in a handler sets."""
        members = members_of(self._surface.known, name)
        [member] = [member for member in members if member.name == member_name]
        text = describe_member(self._surface, name, member) or f"the `{member.wire}` of `{name}`."
        return quoting.words(" ".join(text.split()))

    def summary(self, method: Method) -> str:
        """Return the first line of a docstring, for templates that write the rest."""
        return quoting.words(method_summary(method, self._surface))

    def _docstring(self, method: Method, about: str, raised: list[str]) -> str:
        raises = ["\n".join(["Raises:", *raised])] if raised else []
        names = [name for name in (method.params, method.result) if name]
        places = [
            f"acp:{unqualified(name)}" if name in self._surface.foreign else f"$defs/{name}"
            for name in names
        ]
        page = f"; {method.page}" if method.page else ""
        source = f"Source: {self._surface.schema_name}, {' and '.join(places)}{page}"
        return _text([method_summary(method, self._surface), about, *raises, source])

    def _arguments(self, name: str, given: str = "") -> list[str]:
        """Return the descriptions of the parameters for the fields of a class."""
        record = self._surface.known[name]
        assert isinstance(record, Record), "only a class has a constructor"
        described = [
            (member.name, describe_member(self._surface, name, member))
            for member in constructor_members(record, given)
        ]
        return _section("Args:", [*described, (UNKNOWN, "Fields that are not in the schema.")])


def _text(parts: Iterable[str]) -> str:
    return quoting.docstring("\n\n".join(parts), margin=8)


def method_summary(method: Method, surface: Surface) -> str:
    """Return the purpose of a method in one line."""
    if method.wire is None:
        return f"An extension {method.kind}, which is not in the schema."
    return surface.method_summaries.get(method.wire) or f"The method {method.wire}."


def _title(method: Method) -> str:
    if method.wire is None:
        return f"a {method.kind} with a name that begins with an underscore"
    return f"the {method.kind} `{method.wire}`"
