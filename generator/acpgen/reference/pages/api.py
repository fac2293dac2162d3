"""The public names of the package's modules, read from the source without importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import black

from acpgen.reference.content import ApiEntry, ApiPage
from acpgen.reference.facts.docstrings import blocks
from acpgen.reference.markdown import CODE

# The modules that people import: of the runtime, and of a surface beside what has pages of its own.
_RUNTIME = (
    "__init__",
    *("aio/__init__", "jsonrpc/__init__"),
    *("session/agent", "session/client", "session/turns", "session/state"),
)
_SESSIONS = ("agent_session", "client_session", "session")


def api_pages(package: Path, folder: str) -> list[ApiPage]:
    """The modules of the runtime, or those about sessions that a surface has."""
    names = _RUNTIME if folder == "runtime" else _SESSIONS
    return [
        _page(package, folder, name)
        for name in names
        if (package / folder / f"{name}.py").is_file()
    ]


def _page(package: Path, folder: str, name: str) -> ApiPage:
    path = package / folder / f"{name}.py"
    tree = _parse(path)
    parts = [each for each in name.split("/") if each != "__init__"]
    module = ".".join([package.name, folder, *parts])
    place = f"{folder}/api/{'.'.join(parts) or 'index'}.md"
    text = blocks(ast.get_docstring(tree))
    return ApiPage(place, module, text, tuple(_entries(tree, path)))


def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _entries(tree: ast.Module, path: Path) -> Iterator[ApiEntry]:
    """What a module offers: what `__all__` lists, else the public classes and functions it has."""
    own = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    }
    listed = _listed(tree)
    if listed is None:
        yield from (_entry(node) for name, node in own.items() if not name.startswith("_"))
        return
    sources = _imports(tree, path)
    for name in listed:
        if name in own:
            yield _entry(own[name])
        elif name in sources:
            source = sources[name]
            yield from (each for each in _entries(_parse(source), source) if each.name == name)


def _listed(tree: ast.Module) -> list[str] | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            names: list[str] = ast.literal_eval(node.value)
            return names
    return None


def _imports(tree: ast.Module, path: Path) -> dict[str, Path]:
    """The file of the package that each imported name is from."""
    return {
        alias.asname or alias.name: path.parents[node.level - 1] / f"{module.replace('.', '/')}.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level and (module := node.module)
        for alias in node.names
    }


def _entry(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> ApiEntry:
    text = blocks(ast.get_docstring(node))
    if not isinstance(node, ast.ClassDef):
        return ApiEntry(node.name, _signature(node), text)
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    members = tuple(
        _entry(each)
        for each in node.body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(each)
        and (not each.name.startswith("_") or each.name == "__init__")
    )
    head = _laid_out(f"class {node.name}{f'({bases})' if bases else ''}")
    return ApiEntry(node.name, head, text, members)


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The head of a function, without `self`."""
    word = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    arguments = ast.unparse(node.args).removeprefix("self").removeprefix(", ")
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    marks = "".join(
        f"@{name}\n"
        for each in node.decorator_list
        if (name := ast.unparse(each)) in ("property", "classmethod", "asynccontextmanager")
    )
    return _laid_out(f"{marks}{word} {node.name}({arguments}){result}")


def _laid_out(head: str) -> str:
    """The head of a class or function in lines that need no scrolling."""
    return black.format_str(f"{head}: ...", mode=CODE).rstrip().removesuffix(": ...")
