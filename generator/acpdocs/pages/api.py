"""The pages of the package's modules: every public name, with its signature and its docstring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeGuard

import griffe
from acpgen.common import paths

from acpdocs.content import ApiEntry, ApiPage, AttributeRow, Signature, TextRun
from acpdocs.facts.package import docstrings
from acpdocs.facts.package.source import read_package
from acpdocs.markdown import formatted

# The modules of the runtime to document. Names are relative to its folder; the empty one is the
# folder's own `__init__`.
_RUNTIME = (
    "",
    "aio",
    "jsonrpc",
    "session",
    "session.agent",
    "session.agent_reporting",
    "session.client",
    "session.client_sessions",
    "session.facts",
    "session.setup",
    "session.turns",
    "session.state",
)
# The functions of a surface are methods of its codec; the names in its codec that are none.
_CODEC = "runtime.values.codec.Codec"
_CODEC_CONSTANTS = {
    "SCHEMA": ("SchemaInfo", "The protocol version, and the source and digest of the schema."),
    "TYPES": ("Mapping[str, Any]", "The class or alias of each definition, by its name."),
}
_DECORATORS = ("asynccontextmanager", "classmethod", "staticmethod")

_Public: TypeAlias = griffe.Object


@dataclass(frozen=True, slots=True)
class _Listed:
    """A public name on a page."""

    page: str
    name: str
    object: _Public

    @property
    def target(self) -> str:
        return f"{self.page}#{self.name}"


class ApiPages:
    """Builds the pages of the modules of a package."""

    def __init__(self, package: Path, types: Mapping[str, str]) -> None:
        """Read a package.

        Args:
            package: its folder.
            types: the pages of its types, by the dotted name of the class or alias.
        """
        self._root = read_package(package)
        self._modules = {
            name: self._runtime() if name == "runtime" else _surface(module)
            for name, module in self._root.modules.items()
            if name == "runtime" or "SCHEMA" in module.members  # of a surface
        }
        self._listed = {
            module.path: list(self._public(module, _page_path(module)))
            for modules in self._modules.values()
            for module in modules
        }
        self._targets = dict(types)
        for listed in self._listed.values():
            for public in listed:
                self._targets.setdefault(public.object.canonical_path, public.target)

    def of(self, folder: str) -> list[ApiPage]:
        """The pages about `runtime`, which has what tests need as well, or a surface."""
        return [
            ApiPage(
                path=_page_path(module),
                module=module.path,
                blocks=docstrings.blocks(module),
                entries=tuple(self._entry(public) for public in self._listed[module.path]),
                exported=tuple(self._exported(module)),
            )
            for module in self._modules.get(folder, ())
        ]

    def _runtime(self) -> list[griffe.Module]:
        runtime = [f"runtime.{name}".rstrip(".") for name in _RUNTIME]
        kit = [f"{paths.KIT}.{name}" for name in self._module(paths.KIT).modules]
        return [self._module(name) for name in (*runtime, *kit, *paths.EXTRAS)]

    def _module(self, path: str) -> griffe.Module:
        module = self._root[path]
        assert isinstance(module, griffe.Module)
        return module

    # --- names -------------------------------------------------------------------------------

    def _public(self, module: griffe.Module, page: str) -> Iterator[_Listed]:
        """Yield what `__all__` lists; without it, the module's own classes, functions, constants.

        A surface also exports the names of its modules. Only those of its codec and its tables of
        methods are listed with it. Its module of the kit exports names of the kit; see `_exported`.
        """
        if module.exports is None:
            for name, member in module.members.items():
                if not name.startswith("_") and _is_own(member):
                    yield _Listed(page, name, member)
            return
        for name in map(str, module.exports):
            member = module.members[name]
            if not isinstance(member, griffe.Alias):
                yield _Listed(page, name, member)
                continue
            home, _, original = member.target_path.rpartition(".")
            if home == f"{module.path}.codec":
                yield _Listed(page, name, self._of_codec(original))
            elif self._is_of_kit(member):
                continue
            elif "methods" not in module.members or home == f"{module.path}.methods":
                target = member.final_target
                assert isinstance(target, griffe.Object)
                yield _Listed(page, name, target)

    def _exported(self, module: griffe.Module) -> Iterator[tuple[TextRun, str]]:
        """Yield the names that a module exports from the kit, as links to their pages."""
        for name in map(str, module.exports or ()):
            member = module.members[name]
            if isinstance(member, griffe.Alias) and self._is_of_kit(member):
                target = member.final_target
                assert isinstance(target, griffe.Object)
                link = TextRun(name, self._targets[target.canonical_path], code=True)
                summary = docstrings.blocks(target)[0].text
                yield link, summary

    def _is_of_kit(self, member: griffe.Alias) -> bool:
        return member.target_path.startswith(f"{self._root.path}.{paths.KIT}.")

    def _of_codec(self, name: str) -> _Public:
        codec = self._root[_CODEC]
        assert isinstance(codec, griffe.Class)
        if name in codec.functions:
            function = codec.functions[name]
            assert isinstance(function, griffe.Function)
            return function
        annotation, text = _CODEC_CONSTANTS[name]
        return griffe.Attribute(
            name,
            annotation=annotation,
            docstring=griffe.Docstring(text),
            parent=self._module("runtime.values.codec"),
        )

    # --- entries -----------------------------------------------------------------------------

    def _entry(self, listed: _Listed) -> ApiEntry:
        name, documented = listed.name, listed.object
        if isinstance(documented, griffe.Class):
            members = [member for member in _members(documented) if _is_callable(member)]
            rows = tuple(self._rows(documented))
            return ApiEntry(
                name=name,
                anchor=name,
                signature=self._class_signature(documented),
                blocks=docstrings.blocks(documented),
                attributes=rows,
                members=tuple(self._member(documented, listed, member) for member in members),
            )
        return ApiEntry(name, name, self._signature(documented), docstrings.blocks(documented))

    def _member(self, owner: griffe.Class, listed: _Listed, member: _Public) -> ApiEntry:
        home = member.parent
        inherited = None
        if home is not None and home is not owner:
            inherited = TextRun(home.name, self._targets.get(home.canonical_path), code=True)
        return ApiEntry(
            name=member.name,
            anchor=f"{listed.name}.{member.name.strip('_')}",
            signature=self._signature(member),
            blocks=docstrings.blocks(member),
            inherited=inherited,
        )

    def _rows(self, owner: griffe.Class) -> Iterator[AttributeRow]:
        """Yield the attributes of a class that are not properties."""
        described: dict[str, str] = {}
        for class_ in (*reversed(owner.mro()), owner):
            described |= docstrings.attributes(class_)
        for member in _members(owner):
            if isinstance(member, griffe.Attribute) and not _is_callable(member):
                text = " ".join(block.text for block in docstrings.blocks(member))
                annotation = _annotation(member)
                shown = Signature(str(annotation or ""), self._links(annotation))
                yield AttributeRow(member.name, shown, described.get(member.name, text))

    # --- signatures --------------------------------------------------------------------------

    def _class_signature(self, class_: griffe.Class) -> Signature:
        bases = ", ".join(map(str, class_.bases))
        code = f"class {class_.name}{f'({bases})' if bases else ''}: ..."
        links = {name: to for base in class_.bases for name, to in self._links(base).items()}
        return Signature(formatted(code).removesuffix(": ..."), links)

    def _signature(self, documented: _Public) -> Signature:
        if isinstance(documented, griffe.Function):
            return self._function_signature(documented)
        assert isinstance(documented, griffe.Attribute)
        if "property" in documented.labels:
            code = f"@property\ndef {documented.name}() -> {documented.annotation}: ..."
            return Signature(
                formatted(code).removesuffix(": ..."), self._links(documented.annotation)
            )
        annotation = f": {documented.annotation}" if documented.annotation else ""
        is_told = str(documented.annotation) in ("None", "Final", "TypeAlias")
        value = f" = {documented.value}" if documented.value is not None and is_told else ""
        links = self._links(documented.annotation) | (
            self._links(documented.value) if value else {}
        )
        return Signature(formatted(f"{documented.name}{annotation}{value}"), links)

    def _function_signature(self, function: griffe.Function) -> Signature:
        """The declaration of a function, without `self`."""
        parameters = [
            parameter for parameter in function.parameters if parameter.name not in ("self", "cls")
        ]
        plain = griffe.Function(
            function.name, parameters=griffe.Parameters(*parameters), returns=function.returns
        )
        names = {
            str(decorator.value).split("(")[0].rpartition(".")[2]
            for decorator in function.decorators
        }
        decorators = "".join(f"@{name}\n" for name in _DECORATORS if name in names)
        keyword = "async def" if "async" in function.labels else "def"
        code = f"{decorators}{keyword} {plain.signature(return_type=True)}: ..."
        links = self._links(function.returns)
        for parameter in parameters:
            links |= self._links(parameter.annotation)
        return Signature(formatted(code).removesuffix(": ..."), links)

    def _links(self, expression: object) -> dict[str, str]:
        """Where the names in an annotation are documented."""
        if not isinstance(expression, griffe.Expr):
            return {}
        names = [
            part for part in expression.iterate(flat=True) if isinstance(part, griffe.ExprName)
        ]
        targets = ((name.name, self._targets.get(name.canonical_path)) for name in names)
        return {name: target for name, target in targets if target is not None}


def _annotation(attribute: griffe.Attribute) -> object:
    """The type of an attribute: as stated, of the parameter it keeps, or of its first value."""
    value, home = attribute.value, attribute.parent
    if attribute.annotation is not None or home is None:
        return attribute.annotation
    begin = home.members.get("__init__")
    if isinstance(value, griffe.ExprName) and isinstance(begin, griffe.Function):
        kept = [parameter for parameter in begin.parameters if parameter.name == value.name]
        return kept[0].annotation if kept else None
    if str(value) in ("True", "False"):
        return "bool"
    cls = value.function if isinstance(value, griffe.ExprCall) else None
    return cls if cls is not None and str(cls)[0].isupper() else None


def _surface(module: griffe.Module) -> list[griffe.Module]:
    """The modules of a surface to document; its tables of methods are on its own page."""
    return [module, *(inner for name, inner in module.modules.items() if name != "methods")]


def _page_path(module: griffe.Module) -> str:
    _, folder, *names = module.path.split(".")
    return f"{folder}/api/{'.'.join(names) or 'index'}.md"


def _members(owner: griffe.Class) -> Iterator[_Public]:
    """Yield the public members of a class, own ones first."""
    for name, member in {**owner.members, **owner.inherited_members}.items():
        target = member.final_target if isinstance(member, griffe.Alias) else member
        if name == "__init__" or not name.startswith("_"):
            assert isinstance(target, griffe.Object)
            yield target


def _is_own(member: griffe.Object | griffe.Alias) -> TypeGuard[_Public]:
    """Whether a name of a module is its own: not an import, a module or a type variable."""
    if isinstance(member, griffe.Attribute):
        return member.annotation is not None
    return isinstance(member, griffe.Class | griffe.Function)


def _is_callable(member: _Public) -> bool:
    """Whether a member is a method or a property rather than plain data."""
    if isinstance(member, griffe.Function):
        return member.name != "__init__" or member.docstring is not None
    return "property" in member.labels
