"""Pages about the package's modules, with the signature and docstring of each public name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import griffe
from acpgen.common import paths

from acpdocs.content import ApiEntry, ApiPage, AttributeRow, Signature, TextRun
from acpdocs.facts import docstrings
from acpdocs.markdown import formatted

# The runtime modules to document. The empty name represents the runtime's `__init__`.
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
# Modules of a surface that aren't read, since they are large and their names have separate pages.
_SKIPPED = ("types.py", "codec.py")
# A surface's codec exports the methods of this class as functions. The codec also defines the
# constants below.
_CODEC = "runtime.values.codec.Codec"
_CODEC_CONSTANTS = {
    "SCHEMA": ("SchemaInfo", "The protocol version, and the source and digest of the schema."),
    "TYPES": ("Mapping[str, Any]", "The class or alias for each definition, by name."),
}
_DECORATORS = ("asynccontextmanager", "classmethod", "staticmethod")


class ApiPages:
    """The pages about a package's modules."""

    def __init__(self, package: Path, types: Mapping[str, str]) -> None:
        """Read a package. `types` maps the dotted names of the package's types to pages."""
        self._root = _read(package, None, griffe.ModulesCollection())
        self._modules = {
            name: self._runtime() if name == "runtime" else _surface(module)
            for name, module in self._root.modules.items()
            if name == "runtime" or "SCHEMA" in module.members  # the module is a surface
        }
        self._public: dict[str, dict[str, griffe.Object]] = {}
        self._targets = dict(types)
        for module in (module for modules in self._modules.values() for module in modules):
            self._public[module.path] = dict(self._names(module))
            for name, public in self._public[module.path].items():
                self._targets.setdefault(public.canonical_path, f"{_page_path(module)}#{name}")

    def of(self, folder: str) -> list[ApiPage]:
        """Return the pages about a surface's modules or, for `runtime`, the runtime and extras."""
        return [
            ApiPage(
                path=_page_path(module),
                module=module.path,
                blocks=docstrings.blocks(module),
                entries=tuple(
                    self._entry(name, public) for name, public in self._public[module.path].items()
                ),
                exported=tuple(self._exported(module)),
            )
            for module in self._modules.get(folder, ())
        ]

    def _runtime(self) -> list[griffe.Module]:
        runtime = [f"runtime.{name}".rstrip(".") for name in _RUNTIME]
        kit = [f"{paths.KIT}.{name}" for name in self._root[paths.KIT].modules]
        return [self._root[name] for name in (*runtime, *kit, *paths.EXTRAS)]

    # --- names -------------------------------------------------------------------------------

    def _names(self, module: griffe.Module) -> Iterator[tuple[str, griffe.Object]]:
        """Yield the names in `__all__` or, if it is missing, the names that a module defines.

        A surface also exports names from its modules. Only the names from the surface's codec and
        method tables are yielded. Names that the surface's kit module exports from the kit are
        omitted; see `_exported`.
        """
        if module.exports is None:
            for name, member in module.members.items():
                is_typed = isinstance(member, griffe.Attribute) and member.annotation is not None
                is_own = is_typed or isinstance(member, griffe.Class | griffe.Function)
                if is_own and not name.startswith("_"):
                    yield name, _resolved(member)
            return
        for name in map(str, module.exports):
            member = module.members[name]
            if not isinstance(member, griffe.Alias):
                yield name, member
                continue
            home, _, original = member.target_path.rpartition(".")
            if home == f"{module.path}.codec":
                yield name, self._of_codec(original)
            elif not self._is_of_kit(member) and (
                "methods" not in module.members or home == f"{module.path}.methods"
            ):
                yield name, _resolved(member)

    def _exported(self, module: griffe.Module) -> Iterator[tuple[TextRun, str]]:
        """Yield the names that a module exports from the kit, as links to their pages."""
        for name in map(str, module.exports or ()):
            member = module.members[name]
            if isinstance(member, griffe.Alias) and self._is_of_kit(member):
                target = _resolved(member)
                link = TextRun(name, self._targets[target.canonical_path], code=True)
                yield link, docstrings.blocks(target)[0].text

    def _is_of_kit(self, member: griffe.Alias) -> bool:
        return member.target_path.startswith(f"{self._root.path}.{paths.KIT}.")

    def _of_codec(self, name: str) -> griffe.Object:
        codec = self._root[_CODEC]
        if name in codec.functions:
            return _resolved(codec.functions[name])
        annotation, text = _CODEC_CONSTANTS[name]
        docstring = griffe.Docstring(text)
        return griffe.Attribute(
            name, annotation=annotation, docstring=docstring, parent=codec.parent
        )

    # --- entries -----------------------------------------------------------------------------

    def _entry(self, name: str, documented: griffe.Object) -> ApiEntry:
        blocks, signature = docstrings.blocks(documented), self._signature(documented)
        if not isinstance(documented, griffe.Class):
            return ApiEntry(name, name, signature, blocks)
        members = tuple(
            ApiEntry(
                name=member.name,
                anchor=f"{name}.{member.name.strip('_')}",
                signature=self._signature(member),
                blocks=docstrings.blocks(member),
                inherited=self._home(documented, member),
            )
            for member in _members(documented)
            if _is_callable(member)
        )
        rows = tuple(self._rows(documented))
        return ApiEntry(name, name, signature, blocks, attributes=rows, members=members)

    def _home(self, owner: griffe.Class, member: griffe.Object) -> TextRun | None:
        """Return a link to the class that a member is inherited from, if any."""
        home = member.parent
        if home is None or home is owner:
            return None
        return TextRun(home.name, self._targets.get(home.canonical_path), code=True)

    def _rows(self, owner: griffe.Class) -> Iterator[AttributeRow]:
        """Yield rows for the attributes of a class, except properties."""
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

    def _signature(self, documented: griffe.Object) -> Signature:
        """Return a declaration without the parameters `self` and `cls`."""
        if isinstance(documented, griffe.Class):
            bases = ", ".join(map(str, documented.bases))
            code = f"class {documented.name}{f'({bases})' if bases else ''}"
            return self._declared(code, *documented.bases)
        if isinstance(documented, griffe.Function):
            given = [each for each in documented.parameters if each.name not in ("self", "cls")]
            parameters, returns = griffe.Parameters(*given), documented.returns
            plain = griffe.Function(documented.name, parameters=parameters, returns=returns)
            names = {
                str(each.value).split("(")[0].rpartition(".")[2] for each in documented.decorators
            }
            code = "".join(f"@{name}\n" for name in _DECORATORS if name in names)
            code += "async def " if "async" in documented.labels else "def "
            code += plain.signature(return_type=True)
            return self._declared(code, returns, *(each.annotation for each in given))
        assert isinstance(documented, griffe.Attribute)
        annotation, value = documented.annotation, documented.value
        if "property" in documented.labels:
            return self._declared(f"@property\ndef {documented.name}() -> {annotation}", annotation)
        code = f"{documented.name}: {annotation}" if annotation else documented.name
        if value is None or str(annotation) not in ("None", "Final", "TypeAlias"):
            return Signature(formatted(code), self._links(annotation))
        return Signature(formatted(f"{code} = {value}"), self._links(annotation, value))

    def _declared(self, head: str, *expressions: object) -> Signature:
        """Format the head of a class or function and link the names that `expressions` contain."""
        return Signature(formatted(f"{head}: ...").removesuffix(": ..."), self._links(*expressions))

    def _links(self, *expressions: object) -> dict[str, str]:
        """Return the pages about names in expressions, by name."""
        names = [
            part
            for expression in expressions
            if isinstance(expression, griffe.Expr)
            for part in expression.iterate(flat=True)
            if isinstance(part, griffe.ExprName)
        ]
        targets = ((name.name, self._targets.get(name.canonical_path)) for name in names)
        return {name: target for name, target in targets if target is not None}


def _read(
    path: Path, parent: griffe.Module | None, collection: griffe.ModulesCollection
) -> griffe.Module:
    """Read the source of a module, or of a package with its modules, without importing it."""
    file = path / "__init__.py" if path.is_dir() else path
    code = file.read_text(encoding="utf-8")
    module = griffe.visit(path.stem, file, code, parent=parent, modules_collection=collection)
    (collection if parent is None else parent).set_member(path.stem, module)
    if path.is_dir():
        skipped = _SKIPPED if (path / "types.py").is_file() else ()
        for inner in sorted(path.iterdir()):
            is_module = inner.suffix == ".py" and inner.name not in ("__init__.py", *skipped)
            if is_module or (inner / "__init__.py").is_file():
                _read(inner, module, collection)
    return module


def _annotation(attribute: griffe.Attribute) -> object:
    """Return an attribute's type: its annotation, or the type of its first value."""
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
    """Return the modules to document for a surface. The surface's own page covers `methods`."""
    return [module, *(inner for name, inner in module.modules.items() if name != "methods")]


def _page_path(module: griffe.Module) -> str:
    _, folder, *names = module.path.split(".")
    return f"{folder}/api/{'.'.join(names) or 'index'}.md"


def _members(owner: griffe.Class) -> Iterator[griffe.Object]:
    """Yield the public members of a class, inherited members last."""
    for name, member in {**owner.members, **owner.inherited_members}.items():
        if name == "__init__" or not name.startswith("_"):
            yield _resolved(member)


def _resolved(member: griffe.Object | griffe.Alias) -> griffe.Object:
    target = member.final_target if isinstance(member, griffe.Alias) else member
    assert isinstance(target, griffe.Object)
    return target


def _is_callable(member: griffe.Object) -> bool:
    """Return whether a member is a method or a property rather than plain data."""
    if isinstance(member, griffe.Function):
        return member.name != "__init__" or member.docstring is not None
    return "property" in member.labels
