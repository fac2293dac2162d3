"""The style of generated modules: that of black."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

import black
import black.mode

from acpgen.emit.quoting import WIDTH

MODE = black.Mode(target_versions={black.mode.TargetVersion.PY310}, line_length=WIDTH)


def format_module(source: str) -> str:
    """Format a module, one class or function at a time: most surfaces share most of them."""
    return "\n\n".join(format_source(part) for part in _parts(source))


@lru_cache(maxsize=16384)
def format_source(source: str) -> str:
    """Format Python source in the style of every generated module. Cached."""
    return black.format_str(source, mode=MODE)


def _parts(source: str) -> Iterator[str]:
    """The classes and functions of a module, and what stands between them."""
    lines = source.splitlines(keepends=True)
    cuts = {0, len(lines)}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            first = min([node, *node.decorator_list], key=lambda each: each.lineno)
            cuts |= {first.lineno - 1, node.end_lineno or 0}
    for start, end in pairwise(sorted(cuts)):
        part = "".join(lines[start:end])
        if part.strip():
            yield part
