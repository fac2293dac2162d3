"""Imports for generated modules, derived from the names that a module uses but doesn't define.

Templates contain no imports. A name is looked up in other modules of the same surface, in the
runtime and in the standard library, in this order.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import symtable
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import isort

from acpgen.emit.python.quoting import WIDTH

# The standard library modules that are searched for names, in this order.
_STANDARD = ("collections.abc", "functools", "types", "typing")
_FUTURE = "from __future__ import annotations"
_NOTHING: Mapping[str, str] = {}
_SORTED = isort.Config(profile="black", line_length=WIDTH)


class UnknownNameError(Exception):
    """Raised when a generated module uses a name that no module defines."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no module defines {name!r}")
        self.name = name


class Imports:
    """The imports for the modules of one package.

    Modules must be completed in the order in which they are generated. A module can import modules
    that were completed earlier.
    """

    def __init__(
        self, runtime: Path, package: str = ".", others: Mapping[str, str] = _NOTHING
    ) -> None:
        """Register the names that the runtime defines.

        Args:
            runtime: the folder with the sources of the runtime.
            package: the import name of the package that contains the runtime.
            others: statements that import additional names, by name.
        """
        self._runtime = _runtime_names(runtime, package)
        self._own: dict[str, str] = dict(others)

    def complete(self, module: str, source: str) -> str:
        """Return a module's source with all imports, and register the module's names.

        Args:
            module: the name of the module within its package.
            source: the module's docstring, any imports to merge with the added imports, and code.

        Raises:
            UnknownNameError: If the source uses a name that no module defines.
        """
        tree = ast.parse(source)
        used = _free_names(source, tree)
        # A definition of the surface replaces a built-in object with the same name.
        missing = (used - set(dir(builtins))) | (used & self._own.keys())
        needed: list[str] = []
        for name in sorted(missing):
            statement = self._own.get(name) or self._runtime.get(name) or _standard(name)
            if statement is None:
                raise UnknownNameError(name)
            needed.append(statement)
        defined = {name: f"from .{module} import {name}" for name in _defined_names(tree)}
        self._own |= {module: f"from . import {module}", **defined}
        docstring, stated, body = _split(source, tree)
        block = isort.code("\n".join([_FUTURE, *stated, *needed]), config=_SORTED)
        return f"{docstring}\n\n{block}\n{body}"


def _free_names(source: str, tree: ast.Module) -> set[str]:
    """Return the names that a module uses or lists in `__all__` but doesn't define."""
    module = symtable.symtable(source, "<generated>", "exec")
    names = _listed(tree) - _defined_names(tree)
    pending = [module]
    while pending:
        table = pending.pop()
        pending += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table is module or symbol.is_global()):
                names.add(symbol.get_name())
    return names - {
        symbol.get_name()
        for symbol in module.get_symbols()
        if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
    }


def _defined_names(tree: ast.Module) -> set[str]:
    """Return the public names that a module defines, excluding imports."""
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.AsyncFunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                names.add(name)
            case _:
                pass
    return {name for name in names if not name.startswith("_")}


def _listed(tree: ast.Module) -> set[str]:
    """Return the names in `__all__`."""
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=value):
                return set(ast.literal_eval(value))
            case _:
                pass
    return set()


def _split(source: str, tree: ast.Module) -> tuple[str, list[str], str]:
    """Split a module into its docstring, the imports that follow it, and the rest."""
    lines, end = source.splitlines(), tree.body[0].end_lineno or 0
    docstring, stated = "\n".join(lines[tree.body[0].lineno - 1 : end]), []
    for node in tree.body[1:]:
        if not isinstance(node, ast.Import | ast.ImportFrom):
            break
        stated.append("\n".join(lines[node.lineno - 1 : node.end_lineno]))
        end = node.end_lineno or end
    return docstring, stated, "\n".join(lines[end:]).strip("\n") + "\n"


@cache
def _runtime_names(folder: Path, above: str) -> dict[str, str]:
    """Return the statements that import public names and modules of the runtime, by name."""
    names: dict[str, list[str]] = {}
    modules: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        if path.stem == "__init__":
            continue
        package = ".".join([above, "runtime", *path.relative_to(folder).parent.parts])
        modules.setdefault(path.stem, []).append(f"from {package} import {path.stem}")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in _defined_names(tree) | _listed(tree):
            names.setdefault(name, []).append(f"from {package}.{path.stem} import {name}")
    # Names that several modules define are ambiguous and are therefore omitted.
    found = {**modules, **names}
    return {name: statements[0] for name, statements in found.items() if len(statements) == 1}


def _standard(name: str) -> str | None:
    """Return the statement that imports a name or module of the standard library."""
    for module in _STANDARD:
        if name in importlib.import_module(module).__all__:
            return f"from {module} import {name}"
    return f"import {name}" if name in sys.stdlib_module_names else None
