"""Tests that dataclasses completed on first use behave like standard library dataclasses.

Each module with such classes is executed twice: unchanged, and with the standard library's
decorator.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import functools
import inspect
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from acp_bindings import v2
from acp_bindings.runtime.values import deferred
from acp_bindings.runtime.values.record import Record

from tests.support.paths import GOLDEN, PACKAGE, ROOT

# All tests run on a single worker, so that each module is executed in only one process.
pytestmark = pytest.mark.xdist_group("deferred")

OURS = "from {}deferred import dataclass\n"
THEIRS = "from dataclasses import dataclass\n"


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        if "deferred import dataclass" in path.read_text(encoding="utf-8"):
            yield ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts), path
    yield "acp_bindings.v2.types", GOLDEN / "expected" / "v2" / "types.py"


MODULES = {path.relative_to(ROOT).as_posix(): (name, path) for name, path in modules()}
V2 = "generated/acp_bindings/v2/types.py"


@functools.cache
def compiled(source: str) -> CodeType:
    return compile(source, "<test>", "exec")


def execute(name: str, source: str) -> dict[str, type]:
    import_module(name)  # the standard library resolves annotations in this module
    scope: dict[str, Any] = {"__name__": name, "__package__": name.rpartition(".")[0]}
    exec(compiled(source), scope)
    found = {key: value for key, value in scope.items() if isinstance(value, type)}
    return {
        key: value
        for key, value in found.items()
        if value.__module__ == name and "__dataclass_fields__" in vars(value)
    }


def ours(module: str) -> dict[str, type]:
    name, path = MODULES[module]
    return execute(name, path.read_text(encoding="utf-8"))


@functools.cache
def theirs(module: str) -> dict[str, type]:
    name, path = MODULES[module]
    source = path.read_text(encoding="utf-8")
    dots = [dots for dots in (".", "..values.", "..runtime.values.") if OURS.format(dots) in source]
    assert len(dots) == 1
    found = execute(name, source.replace(OURS.format(dots[0]), THEIRS))
    return {key: reordered(value) for key, value in found.items()}


def reordered(cls: Any) -> type:
    """Return a copy of the class with `unknown_fields` as its last field."""
    fields = dataclasses.fields(cls)
    last = [field for field in fields if field.name == "unknown_fields"]
    if not last or fields[-1] is last[0]:
        return cls
    order = [field for field in fields if field is not last[0]] + last
    namespace: dict[str, Any] = {"__module__": cls.__module__, "__doc__": cls.__doc__}
    namespace["__annotations__"] = {field.name: field.type for field in order}
    namespace |= {f.name: f.default for f in order if f.default is not dataclasses.MISSING}
    bare = type(cls.__name__, (Record,), namespace)
    return dataclasses.dataclass(kw_only=True, slots=True, repr=False)(bare)


def facts(cls: Any) -> dict[str, Any]:
    attributes = [name for name in dataclasses.Field.__slots__ if name != "_field_type"]
    return {
        "is_dataclass": dataclasses.is_dataclass(cls),
        "names": (cls.__name__, cls.__qualname__, cls.__module__, cls.__doc__),
        "match_args": cls.__match_args__,
        "signature": str(inspect.signature(cls)),
        "constructor": str(inspect.signature(cls.__init__)),
        "constructor's names": (cls.__init__.__name__, cls.__init__.__qualname__),
        "constructor's hints": cls.__init__.__annotations__,
        "defaults": named((cls.__init__.__defaults__, cls.__init__.__kwdefaults__)),
        "params": repr(cls.__dataclass_params__),
        "fields": [
            [named(getattr(field, name)) for name in attributes]
            for field in dataclasses.fields(cls)
        ],
        "hashable": cls.__hash__ is not None,
    }


def named(value: Any) -> Any:
    """Replace enumeration members with names, since each execution creates new members."""
    if isinstance(value, dict):
        return {name: named(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return tuple(map(named, value))
    return str(value) if isinstance(value, enum.Enum) else value


def attributes(cls: Any) -> set[str]:
    # Python 3.10 keeps `__weakref__` and repeats a base class's slots. Python 3.14 caches
    # annotations.
    kept = {"__weakref__", "__annotate_func__", "__annotations_cache__"}
    inherited = {name for base in cls.__mro__[1:] for name in getattr(base, "__slots__", ())}
    return vars(cls).keys() - kept - inherited


def outcome(act: Callable[..., Any], *args: Any, **kwargs: Any) -> object:
    try:
        return act(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)


def is_deferred(cls: type, name: str) -> bool:
    return isinstance(vars(cls).get(name), deferred._Deferred)


def values_of(cls: Any) -> dict[str, Any]:
    return {field.name: f"the {field.name}" for field in dataclasses.fields(cls)}


def is_hashable(value: object) -> bool:
    return isinstance(hash(value), int)


def make(cls: Any, *args: Any, **kwargs: Any) -> object:
    made = cls(*args, **kwargs)
    return {name: named(getattr(made, name)) for name in values_of(cls)}


def test_all_modules_are_found() -> None:
    assert V2 in MODULES
    assert sum(len(ours(module)) for module in MODULES) > 700


@pytest.mark.parametrize("module", MODULES)
def test_classes_look_alike(module: str) -> None:
    found, expected = ours(module), theirs(module)
    assert list(found) == list(expected)
    for name, cls in found.items():
        assert facts(cls) == facts(expected[name]), name
        if cls.__bases__ == expected[name].__bases__:
            assert attributes(cls) == attributes(expected[name]), name
            assert inspect.get_annotations(cls) == inspect.get_annotations(expected[name]), name


@pytest.mark.parametrize("module", MODULES)
def test_each_attribute_is_made_when_looked_up(module: str) -> None:
    expected = theirs(module)
    found = ours(module)
    keys = {key for cls in found.values() for key in vars(cls) if is_deferred(cls, key)}
    assert {"__init__", "__dataclass_fields__", "__dataclass_params__", "__match_args__"} <= keys
    for key in keys:
        for name, cls in ours(module).items():
            if is_deferred(cls, key):
                made, model = getattr(cls, key), getattr(expected[name], key)
                assert type(made) is type(model), (name, key)
                assert getattr(made, "__qualname__", "") == getattr(model, "__qualname__", "")
                assert not is_deferred(cls, key)


@pytest.mark.parametrize("module", MODULES)
def test_constructors_do_the_same(module: str) -> None:
    """The second round checks the same calls after all classes are complete."""
    found, expected = ours(module), theirs(module)
    for _ in range(2):
        for name, cls in found.items():
            model = expected[name]
            values = values_of(model)
            first = next(iter(values))
            required = {
                field.name: None
                for field in dataclasses.fields(model)
                if field.default is dataclasses.MISSING
            }
            calls: list[tuple[list[Any], dict[str, Any]]] = [
                ([], values),
                ([], required),
                ([], {}),
                ([], {**values, "no_such_field": 1}),
                (list(values.values()), {}),
                ([*values.values(), 1], {}),
                ([1], values),
                ([1], {key: value for key, value in values.items() if key != first}),
                ([], {key: value for key, value in values.items() if key != first}),
            ]
            for args, kwargs in calls:
                made = outcome(make, cls, *args, **kwargs)
                assert made == outcome(make, model, *args, **kwargs), (name, args, kwargs)
            dataclasses.fields(cls)
            inspect.signature(cls)


@pytest.mark.parametrize("module", MODULES)
def test_objects_do_the_same(module: str) -> None:
    expected = theirs(module)
    for name, cls in ours(module).items():
        model: Any = expected[name]
        values = values_of(model)
        one, other = cls(**values), model(**values)
        assert repr(one) == repr(other) or " object at 0x" in repr(other), name
        assert (one == cls(**values)) is (other == model(**values)), name
        assert one != other
        assert not hasattr(one, "__dict__"), name
        assert outcome(is_hashable, one) == outcome(is_hashable, other), name
        for key in values:
            changed = {**values, key: "another"}
            assert (one == cls(**changed)) is (other == model(**changed)), (name, key)
            assert dataclasses.replace(one, **{key: 0}) is not one
            changed_one = outcome(setattr, one, key, "another")
            assert changed_one == outcome(setattr, other, key, "another"), (name, key)
        with pytest.raises(AttributeError):
            one.no_such_field = 1
        assert dataclasses.asdict(one) == dataclasses.asdict(other)
        assert dataclasses.astuple(one) == dataclasses.astuple(other)
        for twin in (copy.copy(one), copy.deepcopy(one)):
            assert type(twin) is cls
            assert dataclasses.asdict(twin) == dataclasses.asdict(one)


def test_a_frozen_class_has_no_other_attributes() -> None:
    """In Python 3.11, the standard library's dataclasses raise an unhelpful TypeError instead."""
    issue: Any = v2.Issue("", "", None, "skipped")
    with pytest.raises(dataclasses.FrozenInstanceError):
        issue.other = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        del issue.raw


# --- first uses --------------------------------------------------------------------------------


@pytest.fixture
def fresh() -> dict[str, Any]:
    """The protocol 2 classes, newly loaded and not yet completed."""
    found = execute("acp_bindings.v2.types", MODULES[V2][1].read_text("utf-8"))
    assert is_deferred(found["Cost"], "__dataclass_fields__")
    return found


def test_a_class_without_other_uses_is_compared_and_matched(fresh: dict[str, Any]) -> None:
    assert fresh["Cost"](amount=1, currency="EUR") == fresh["Cost"](amount=1, currency="EUR")
    assert fresh["Cost"](amount=1, currency="EUR") != fresh["Cost"](amount=2, currency="EUR")
    unknown = fresh["UnknownSessionUpdate"]
    match unknown("_tag", {"a": 1}):
        case unknown(tag, raw):
            assert (tag, raw) == ("_tag", {"a": 1})
        case _:
            raise AssertionError


def test_a_subclass_has_the_constructor_of_its_base(fresh: dict[str, Any]) -> None:
    class Price(fresh["Cost"]):  # type: ignore[misc]
        pass

    class Note(fresh["Cost"]):  # type: ignore[misc]
        def __init__(self, text: str) -> None:
            super().__init__(amount=1.0, currency=text)

    assert Price(amount=1.0, currency="EUR").currency == Note("EUR").currency == "EUR"
    assert str(outcome(Price)) == str(outcome(fresh["Cost"]))
    assert dataclasses.fields(Price) == dataclasses.fields(fresh["Cost"])
    assert inspect.signature(Price) == inspect.signature(fresh["Cost"])
    assert Price(amount=1, currency="") == Price(amount=1, currency="")
    assert vars(Price(amount=1.0, currency="EUR")) == {}


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        ("Cost", (), {"amount": 1}),
        ("Cost", (1, "EUR"), {}),
        ("UnknownSessionUpdate", ("_tag",), {}),
        ("UnknownSessionUpdate", ("_tag", {}, {}), {}),
        ("UnknownSessionUpdate", ("_tag", {}), {"tag": "_other"}),
    ],
)
def test_wrong_arguments_of_a_first_call_are_refused(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any], fresh: dict[str, Any]
) -> None:
    messages: list[str] = []
    for cls in (fresh[name], theirs(V2)[name]):
        with pytest.raises(TypeError) as caught:
            cls(*args, **kwargs)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_a_constructor_is_compiled_once_it_pays(fresh: dict[str, Any]) -> None:
    cost = fresh["Cost"]
    for number in range(deferred._WORTHWHILE):
        assert is_deferred(cost, "__init__"), number
        cost(amount=1, currency="EUR")
    cost(amount=1, currency="EUR")
    assert inspect.isfunction(vars(cost)["__init__"])


# --- loaded modules and their origin -----------------------------------------------------------

# The program contains no `assert` statements, since optimization removes them.
PROGRAM = """
import sys
from acp_bindings import v2
def check(fact):
    if not fact:
        raise AssertionError
text = '{"sessionId": "s", "update": {"sessionUpdate": "plan_removed", "planId": "p"}}'
note = v2.loads(v2.UpdateSessionNotification, text)
check(v2.loads(v2.UpdateSessionNotification, v2.dumps(note)).session_id == "s")
check(v2.encode(v2.Cost(amount=1, currency="EUR")) == {"amount": 1, "currency": "EUR"})
match note:
    case v2.UpdateSessionNotification(session_id=name):
        check(name == "s")
    case _:
        check(False)
"""
LOADED = "print(*{'asyncio', 'dataclasses', 'inspect', 'logging', 'warnings'} & {*sys.modules})"
USED = """
import copy, dataclasses, pickle
cost = v2.Cost(amount=1, currency="EUR")
check([field.name for field in dataclasses.fields(v2.Cost)][:2] == ["amount", "currency"])
check(cost == copy.deepcopy(cost) == pickle.loads(pickle.dumps(cost)))
types = sys.modules.pop("acp_bindings.v2.types")
check([field.name for field in dataclasses.fields(types.EnvVariable)][:2] == ["name", "value"])
check((v2.Cost.__doc__ or "").startswith("Cost(*, amount") is (sys.flags.optimize == 2))
"""


def run(*arguments: str, path: Path = PACKAGE.parent) -> str:
    """Run Python without the user's variables and packages, and return its output."""
    code = f"import sys; sys.path.insert(0, {str(path)!r})"
    program = f"{code}\n{arguments[-1]}"
    command = [sys.executable, "-I", *arguments[:-1], "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_decoding_loads_nothing_that_takes_long() -> None:
    # Older versions of `typing` load `warnings`.
    assert set(run(PROGRAM + LOADED).split()) <= {"warnings"}


@pytest.mark.parametrize("optimize", ["-O", "-OO"])
def test_it_works_when_optimized(optimize: str) -> None:
    run(optimize, PROGRAM + USED)


def test_it_works_from_an_archive(tmp_path: Path) -> None:
    archive = tmp_path / "package.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in PACKAGE.rglob("*.py"):
            file.write(path, path.relative_to(PACKAGE.parent))
    run(PROGRAM + USED, path=archive)
