"""Tests that no import between the runtime's layers, even in a function, creates a cycle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support.paths import PACKAGE

FOLDERS = ("runtime", "kit", "remote", "testing")
# The runtime's folders. Each folder imports only from the folders before it.
ORDER = ("values", "jsonrpc", "aio", "session", "bridge")
# This module is imported only if a bridge is used.
BRIDGING = f"{PACKAGE.name}.runtime.aio.bridging"


def modules() -> dict[str, Path]:
    """Return the file of each module, by module name."""
    paths = [path for folder in FOLDERS for path in (PACKAGE / folder).rglob("*.py")]
    named = {path.relative_to(PACKAGE.parent).with_suffix(""): path for path in paths}
    return {".".join(name.parts).removesuffix(".__init__"): path for name, path in named.items()}


def imports(files: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return the modules that each module imports, anywhere in its code."""
    return {name: {*imported(name, path, files)} - {name} for name, path in files.items()}


def imported(name: str, path: Path, files: Mapping[str, Path]) -> Iterator[str]:
    package = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                module = f"{source}.{alias.name}"
                yield from {module if module in files else source} & files.keys()


def cycles(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the modules of each import cycle."""
    leads_to = {name: reachable(name, graph) for name in graph}
    found: list[set[str]] = []
    for name, others in leads_to.items():
        cycle = {other for other in others if name in leads_to[other]}
        if cycle and cycle not in found:
            found.append(cycle)
    return found


def reachable(name: str, graph: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    left = [*graph[name]]
    while left:
        module = left.pop()
        if module not in reached:
            reached.add(module)
            left += graph[module]
    return reached


def test_no_modules_import_each_other() -> None:
    graph = imports(modules())
    assert sum(map(len, graph.values())) > 300
    below = f"{PACKAGE.name}.runtime."
    found = [{name.removeprefix(below) for name in cycle} for cycle in cycles(graph)]
    assert [sorted(cycle) for cycle in found] == []


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}}
    assert cycles(graph) == [{"b", "c"}, {"d"}]


def test_each_folder_of_the_runtime_imports_only_those_before_it() -> None:
    upward = [
        (name, module)
        for name, found in imports(modules()).items()
        for module in found
        if name != BRIDGING and rank(name) < rank(module)
    ]
    assert upward == []


def rank(name: str) -> int:
    """Return the index of a module's folder in `ORDER`. Modules outside the runtime come last."""
    parts = name.split(".")
    return ORDER.index(parts[2]) if parts[1] == "runtime" and len(parts) > 2 else len(ORDER)
