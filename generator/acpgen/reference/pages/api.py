"""The pages of the package's modules, read from their source without importing them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import black

from acpgen.reference.content import ApiEntry, ApiPage, Block
from acpgen.reference.facts.docstrings import blocks
from acpgen.reference.markdown import CODE

# The modules to document: of the runtime, and of a surface, whose types and methods have pages of
# their own. Names are relative to the folder; the empty one is the folder's own `__init__`.
_RUNTIME = (
    "",
    "aio",
    "jsonrpc",
    "session.agent",
    "session.client",
    "session.turns",
    "session.message",
    "session.state",
)
_SURFACE = ("agent_session", "client_session", "session")

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Definition: TypeAlias = ast.ClassDef | _Function | ast.Assign | ast.AnnAssign


def api_pages(package: Path, folder: str) -> list[ApiPage]:
    """Build the pages of the modules in a folder of the package: `runtime` or a surface."""
    names = _RUNTIME if folder == "runtime" else _SURFACE
    files = {name: _file(package / folder, name) for name in names}
    return [_page(package, folder, name, file) for name, file in files.items() if file.is_file()]


def _file(folder: Path, module: str) -> Path:
    """The file of a module, by its dotted name relative to a folder."""
    path = folder.joinpath(*filter(None, module.split(".")))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _page(package: Path, folder: str, name: str, file: Path) -> ApiPage:
    module = _Module(file)
    return ApiPage(
        path=f"{folder}/api/{name or 'index'}.md",
        module=".".join(filter(None, (package.name, folder, name))),
        blocks=module.blocks,
        entries=tuple(_entry(*each) for each in sorted(module.public(), key=_is_constant)),
    )


class _Module:
    """The definitions of a source file, and those that it imports from the package."""

    def __init__(self, file: Path) -> None:
        self._file = file
        tree = ast.parse(file.read_text(encoding="utf-8"))
        self.blocks: tuple[Block, ...] = blocks(ast.get_docstring(tree))
        self._definitions = dict(_definitions(tree))
        # Anywhere in the file: some imports are for type checkers only.
        self._imports = {
            alias.asname or alias.name: (node, alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.level
            for alias in node.names
        }

    def public(self) -> Iterator[tuple[str, _Definition]]:
        """Yield what `__all__` lists; without it, the module's own classes and functions."""
        listed = self._definitions.get("__all__")
        if isinstance(listed, ast.Assign):
            names: list[str] = ast.literal_eval(listed.value)
            found = ((name, self.find(name)) for name in names)
            yield from ((name, node) for name, node in found if node is not None)
            return
        for name, node in self._definitions.items():
            if not name.startswith("_") and not isinstance(node, ast.Assign):
                yield name, node

    def find(self, name: str) -> _Definition | None:
        """The definition of a name, here or in the module that it is imported from."""
        if name in self._definitions:
            return self._definitions[name]
        if name not in self._imports:
            return None
        node, original = self._imports[name]
        source = _file(self._file.parents[node.level - 1], node.module or "")
        return _Module(source).find(original)


def _definitions(tree: ast.Module) -> Iterator[tuple[str, _Definition]]:
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name, node
            case ast.AsyncFunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name, node
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name, node
            case _:
                pass


def _is_constant(definition: tuple[str, _Definition]) -> bool:
    return isinstance(definition[1], ast.Assign | ast.AnnAssign)


def _entry(name: str, node: _Definition) -> ApiEntry:
    match node:
        case ast.ClassDef():
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            head = _laid_out(f"class {name}{f'({bases})' if bases else ''}: ...")
            return ApiEntry(name, head, blocks(ast.get_docstring(node)), tuple(_members(node)))
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return ApiEntry(name, _signature(node), blocks(ast.get_docstring(node)))
        case _:
            return ApiEntry(name, _laid_out(ast.unparse(node)), ())


def _members(node: ast.ClassDef) -> Iterator[ApiEntry]:
    """Yield the public methods of a class that have a docstring."""
    for each in node.body:
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        is_public = not each.name.startswith("_") or each.name == "__init__"
        if is_public and ast.get_docstring(each):
            yield _entry(each.name, each)


def _signature(node: _Function) -> str:
    """The head of a function, without `self`."""
    keyword = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    arguments = ast.unparse(node.args).removeprefix("self").removeprefix(", ")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    decorators = "".join(
        f"@{name}\n"
        for each in node.decorator_list
        if (name := ast.unparse(each)) in ("property", "classmethod", "asynccontextmanager")
    )
    return _laid_out(f"{decorators}{keyword} {node.name}({arguments}){result}: ...")


def _laid_out(source: str) -> str:
    """Format the head of a class or function, or a constant, in lines that need no scrolling."""
    return black.format_str(source, mode=CODE).rstrip().removesuffix(": ...")
