"""The imports of generated modules: found from the names that a module uses and does not define.

Templates hold no imports. A name comes from another module of the same surface, from the runtime,
or from the standard library, in this order.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import symtable
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import isort

from acpgen.emit.python.quoting import WIDTH

# Where names of the standard library are looked for, first match wins.
_STANDARD = ("collections.abc", "functools", "types", "typing")
_FUTURE = "from __future__ import annotations"
_NOTHING: Mapping[str, str] = {}
_SORTED = isort.Config(profile="black", line_length=WIDTH)


class UnknownNameError(Exception):
    """Raised when a generated module uses a name that no module defines: a defect of a template.

    Attributes:
        name: the name.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"no module defines {name!r}")
        self.name = name


class Imports:
    """Knows which module defines a name, for the modules of one package.

    Modules are added in the order in which they are generated; each may use those before it.
    """

    def __init__(
        self, runtime: Path, package: str = ".", others: Mapping[str, str] = _NOTHING
    ) -> None:
        """Start with the runtime.

        Args:
            runtime: the folder of its sources.
            package: the package that has the runtime, as modules import it.
            others: statements that import more names, by name.
        """
        self._runtime = _runtime_names(runtime, package)
        self._own: dict[str, str] = dict(others)

    def complete(self, module: str, source: str) -> str:
        """Add the imports that a module needs to its source, and make it known to later modules.

        Args:
            module: its name within its package.
            source: its docstring, then imports to sort in with the others, if any, then its code.

        Returns:
            The source with all imports.

        Raises:
            UnknownNameError: the source uses a name that no module defines.
        """
        tree = ast.parse(source)
        used = free_names(source, tree)
        # A definition of the surface can have the name of a built-in object, which stays unused.
        missing = (used - set(dir(builtins))) | (used & self._own.keys())
        needed = [self._line(name) for name in sorted(missing)]
        defined = {name: f"from .{module} import {name}" for name in defined_names(tree)}
        self._own |= {module: f"from . import {module}", **defined}
        docstring, stated, body = _split(source, tree)
        block = sort_imports([_FUTURE, *stated, *needed])
        return f"{docstring}\n\n{block}\n{body}"

    def _line(self, name: str) -> str:
        """The statement that imports a name."""
        known = self._own.get(name) or self._runtime.get(name) or _standard(name)
        if known is None:
            raise UnknownNameError(name)
        return known


def sort_imports(statements: list[str]) -> str:
    """Import statements, merged and sorted into one block."""
    return isort.code("\n".join(statements), config=_SORTED)


def free_names(source: str, tree: ast.Module) -> set[str]:
    """Return the names that a module uses or lists in `__all__` but does not define."""
    table = symtable.symtable(source, "<generated>", "exec")
    used = {name for scope in _tables(table) for name in _global_names(scope)}
    bound = {symbol.get_name() for symbol in table.get_symbols() if _is_bound(symbol)}
    listed = _listed(tree) - defined_names(tree)
    return (used | listed) - bound


def defined_names(tree: ast.Module) -> set[str]:
    """The public names that a module defines, without those that it imports."""
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                names.add(node.name)
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case _:
                pass
    return {name for name in names if not name.startswith("_")}


def _split(source: str, tree: ast.Module) -> tuple[str, list[str], str]:
    """A module's docstring, the imports that follow it, and the rest."""
    first, *others = tree.body
    assert isinstance(first, ast.Expr), "a generated module starts with its docstring"
    lines = source.splitlines()
    end = first.end_lineno or 0
    docstring, stated = "\n".join(lines[first.lineno - 1 : end]), []
    for node in others:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            break
        stated.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        end = node.end_lineno or end
    return docstring, stated, "\n".join(lines[end:]).strip("\n") + "\n"


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _global_names(table: symtable.SymbolTable) -> Iterator[str]:
    at_top = table.get_type() == "module"
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (at_top or symbol.is_global()):
            yield symbol.get_name()


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _listed(tree: ast.Module) -> set[str]:
    """The names that `__all__` lists."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return set(ast.literal_eval(value))
            case _:
                pass
    return set()


@cache
def _runtime_names(folder: Path, above: str) -> dict[str, str]:
    """The statements that import the public names and the modules of the runtime, by name."""
    names: dict[str, list[str]] = {}
    modules: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        if path.stem == "__init__":
            continue
        package = ".".join([above, "runtime", *path.relative_to(folder).parent.parts])
        modules.setdefault(path.stem, []).append(f"from {package} import {path.stem}")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in defined_names(tree) | _listed(tree):
            names.setdefault(name, []).append(f"from {package}.{path.stem} import {name}")
    # A name that several modules define is ambiguous.
    return {
        name: statements[0]
        for name, statements in {**modules, **names}.items()
        if len(statements) == 1
    }


def _standard(name: str) -> str | None:
    """The statement that imports a name, or a module, of the standard library."""
    for module in _STANDARD:
        if name in importlib.import_module(module).__all__:
            return f"from {module} import {name}"
    return f"import {name}" if name in sys.stdlib_module_names else None
