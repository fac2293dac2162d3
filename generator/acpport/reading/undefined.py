"""Names that a module reads but does not define."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator

from acpport.reading.sources import decoded

# The names that every module has.
_KNOWN = {*dir(builtins), "__file__", "__path__", "__annotations__", "__builtins__"}


def undefined_names(text: bytes) -> set[str]:
    """Return the names that a module reads from its top level but does not bind there.

    Args:
        text: the module. With `from … import *`, it can have any name, so it lacks none.

    Raises:
        SyntaxError: It is not valid Python.
    """
    compile(text, "module", "exec", dont_inherit=True)
    top = symtable.symtable(decoded(text), "module", "exec")
    scopes = [*_scopes(top)]
    symbols = [(scope, symbol) for scope in scopes for symbol in scope.get_symbols()]
    bound = {
        symbol.get_name()
        for scope, symbol in symbols
        if (scope is top or symbol.is_declared_global())
        and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace())
    }
    read = {
        symbol.get_name()
        for scope, symbol in symbols
        if symbol.is_referenced() and (scope is top or symbol.is_global())
    }
    return set() if b"import *" in text else read - bound - _KNOWN


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)
