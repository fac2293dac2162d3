"""Tests that docstrings describe exactly the arguments of their functions."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import acp_bindings
import pytest
from acp_bindings.testing import ask_permission

MODULES = [
    info.name
    for info in pkgutil.walk_packages(acp_bindings.__path__, "acp_bindings.")
    if not info.name.endswith("__main__")
]
_SECTION = re.compile(r"^Args:\n((?:[ ]+.*\n?|\n)*)", re.M)
_ENTRY = re.compile(r"^    (\w+):", re.M)


def described(function: Callable[..., Any]) -> list[str] | None:
    """Return the arguments that a docstring describes, even if it is inherited."""
    section = _SECTION.search(inspect.getdoc(function) or "")
    return None if section is None else _ENTRY.findall(section[1])


def functions(module: Any) -> Iterator[tuple[Callable[..., Any], list[str]]]:
    """Yield the functions of a module and the methods of its classes, with their arguments."""
    for value in vars(module).values():
        if getattr(value, "__module__", None) != module.__name__:
            continue  # imported
        if inspect.isfunction(value):
            yield value, list(inspect.signature(value).parameters)
        elif inspect.isclass(value):
            yield from methods(value)


def methods(cls: type[Any]) -> Iterator[tuple[Callable[..., Any], list[str]]]:
    for found in vars(cls).values():
        function = inspect.unwrap(getattr(found, "__func__", found))
        if inspect.isfunction(function):
            arguments = list(inspect.signature(function).parameters)
            yield function, arguments[not isinstance(found, staticmethod) :]


def differences(module: Any) -> list[str]:
    """Return the arguments that are only in a docstring or only in the function's signature."""
    return [
        f"{module.__name__}.{function.__qualname__}: {name}"
        for function, arguments in functions(module)
        if (names := described(function)) is not None
        for name in sorted(set(names) ^ set(arguments))
    ]


def test_docstrings_describe_the_arguments() -> None:
    modules = map(importlib.import_module, MODULES)
    assert [each for module in modules for each in differences(module)] == []


def test_many_docstrings_describe_arguments() -> None:
    modules = map(importlib.import_module, MODULES)
    compared = [each for module in modules for each, _ in functions(module) if described(each)]
    assert len(compared) > 300


@pytest.mark.parametrize("surface", ["v1", "v1_unstable", "v2", "v2_unstable"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("ClientSession", ["client", "session_id"]), ("AgentSession", ["agent", "session_id"])],
)
def test_constructors_of_sessions_describe_their_arguments(
    surface: str, name: str, arguments: list[str]
) -> None:
    module = importlib.import_module(f"acp_bindings.{surface}")
    assert described(getattr(module, name).__init__) == arguments


def test_steps_show_what_their_caller_passes() -> None:
    assert next(iter(inspect.signature(ask_permission).parameters)) == "tool_call_id"
