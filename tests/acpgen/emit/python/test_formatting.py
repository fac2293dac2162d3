"""Tests that generated modules match Black's style, although Black formats only parts of them."""

from __future__ import annotations

import black
import pytest
from acpgen.common.paths import TEMPLATES
from acpgen.emit.package import render_surface
from acpgen.emit.python.formatting import format_module

from tests.acpgen.analysis.shapes import MORE, READ, Schema, any_of
from tests.acpgen.diff.small import read, record, ref, tagged, union
from tests.support.paths import GOLDEN

LONG = "a_name_that_takes_much_of_a_line_" + 10 * "x"
MODE = black.Mode({black.TargetVersion.PY310}, line_length=100)


def several(name: str) -> Schema:
    return {"type": "array", "items": ref(name)}


def as_black_writes(source: str) -> str:
    return black.format_str(source, mode=MODE)


# Modules, each preceded by a line with a description.
SOURCES = f"""
### a call
{LONG} = {LONG}({LONG}, 1)
### quotes
x = ['a', "b", 'it\\'s']
y = "don't"
### a signature
async def f({LONG}: int, {LONG}_: int) -> {LONG}:
    return 1
### a decorator
@decorate({LONG}, {LONG}, {LONG})
def f() -> None:
    pass
### a base
class A({LONG}, {LONG}, {LONG}):
    x: int = 1

    def f(self) -> int:
        return 'a'
### a condition
def f() -> None:
    x = 1
    if {LONG} and {LONG} and {LONG}:
        y = 'a'
### another condition
def f() -> None:
    if x:
        pass
    elif {LONG} and {LONG} or {LONG}:
        y = 1
### a condition outside
if {LONG} and {LONG} and {LONG}:
    y = ['a']
### a loop
def f() -> None:
    for x in {LONG}({LONG}, {LONG}):
        pass
### inside of a handler
def f() -> None:
    try:
        pass
    except A:
        {LONG}({LONG}, {LONG})
    finally:
        {LONG}({LONG}, {LONG}, {LONG}, 'a')
### inside of a case
def f() -> None:
    match x:
        case 1:
            {LONG}({LONG}, {LONG})
### inside of methods
class A:
    def f(self) -> None:
        if x:
            {LONG}({LONG}, {LONG})

    def g(self) -> None:
        {LONG}({LONG}, {LONG})
        {LONG}({LONG}, {LONG})
### a function inside of another
def f() -> None:
    def g(x: {LONG}, y: {LONG}, z: {LONG}) -> None:
        {LONG}({LONG}, {LONG})

    h('a')
### a statement that goes on further left
def f() -> None:
    if x:
        {LONG} = {LONG}((
  {LONG},
  {LONG}, {LONG}, {LONG},
))
### a docstring
def f() -> None:
    \"""It isn't {LONG} {LONG} {LONG}.\"""
    x = 1
### comments
# It isn't code.
x = 1


def f() -> None:
    # Nor isn't this.
    pass
### too many empty lines
x = 1




y = 2



class A:
    x: int


    y: int



z = 1
### too few empty lines
x = 1
def f() -> None:
    pass
y = 1
"""
CASES = dict(case.split("\n", 1) for case in SOURCES.split("\n### ")[1:])


@pytest.mark.parametrize("name", CASES)
def test_black_would_write_the_same(name: str) -> None:
    assert len(CASES) > 15
    assert format_module(CASES[name]) == as_black_writes(CASES[name])


def test_every_shape_is_written_as_black_writes_it() -> None:
    """The surface contains every supported shape, with a short name and with a long name."""
    shapes = [shape for shape, *_ in READ.values()]
    definitions = dict(MORE)
    for number, shape in enumerate(shapes):
        short, long = f"X{number}", f"X{number}{LONG.title().replace('_', '')}"
        definitions[short] = definitions[long] = shape
        user = short if number % 2 else long
        definitions[f"Has{user}"] = record("one", one=ref(user), more=several(user))
        definitions[f"Maybe{user}"] = any_of(ref(user), {"type": "null"})
    files = render_surface(read(definitions), TEMPLATES)
    assert len(definitions) > 150
    for path, text in files.items():
        assert text == as_black_writes(text), path


def test_the_smallest_surfaces_are_written_as_black_writes_them() -> None:
    record_of_one = {"A": record("a", a={"type": "string"})}
    union_of_one = {**record_of_one, "U": union(tagged("a", "A"))}
    for definitions in (record_of_one, union_of_one):
        files = render_surface(read(definitions), TEMPLATES, types_only=True)
        assert len(files) == 4
        for path, text in files.items():
            assert text == as_black_writes(text), path


def test_the_goldens_are_written_as_black_writes_them() -> None:
    files = sorted((GOLDEN / "expected").rglob("*.py"))
    assert len(files) > 5
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert text == as_black_writes(text), path
