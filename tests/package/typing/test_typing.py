"""Tests that check code that uses the package with mypy and pyright."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from acp_bindings import v2
from acpdocs.pages.guides import sample_extension

from tests.acpgen.extensions.packages import SAMPLES, build, sample, write_package
from tests.support.guides import only_block
from tests.support.paths import (
    EXAMPLES,
    GOLDEN,
    GUIDE_TEMPLATES,
    MIGRATED_EXAMPLES,
    PROGRAMS,
    README,
)
from tests.support.printed import blocks

CONSUMER = Path(__file__).parent / "consumer"
# The modules with mistakes, and the minimum number of mistakes in each.
WRONG = {"wrong.py": 46, "wrong_extended.py": 6, "misspelt.py": 40}
TYPED_EXAMPLES = [*sorted(EXAMPLES.glob("*_v?.py")), *sorted(MIGRATED_EXAMPLES.glob("*.py"))]
TYPED_PROGRAMS = sorted(
    {*PROGRAMS.glob("*.py")} - {*PROGRAMS.glob("test_*.py"), PROGRAMS / "driving.py"}
)
PRINTED = {
    block.title
    or f"{page.name.partition('.')[0].lower().replace('-', '_')}_{number:02}.py": block.text
    for page in (README, *sorted(GUIDE_TEMPLATES.glob("*.md*")))
    for number, block in enumerate(blocks(page), 1)
}

# All tests run on a single worker, so that the checked code is written only once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("typing")]


def run(*command: str, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, timeout=300
    )
    # Both checkers exit with 1 if they report problems. Higher codes mean that the checker failed.
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode, done.stdout


def modules(folder: Path) -> list[str]:
    """Return the paths of the Python files in a folder and its subfolders."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))


def mypy(folder: Path) -> dict[str, set[int]]:
    names = modules(folder)
    config = "[mypy]\nstrict = true\nenable_error_code = deprecated\n"
    (folder / "mypy.ini").write_text(config, "utf-8")
    options = ("--config-file", "mypy.ini", "--python-version", "3.10", "--no-error-summary")
    code, text = run("mypy", *options, "--cache-dir", str(folder / "cache"), *names, cwd=folder)
    found = re.findall(r"^([^\s:]+):(\d+): error: ", text, re.MULTILINE)
    assert bool(code) is bool(found), text
    return {name: {int(line) for file, line in found if file == name} for name in names}


def pyright(folder: Path) -> dict[str, set[int]]:
    names = modules(folder)
    config = {"include": ["."], "typeCheckingMode": "strict", "pythonVersion": "3.10"}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    options = ("--outputjson", "--project", str(folder), "--pythonpath", sys.executable)
    _, text = run("pyright", *options, cwd=folder)
    report = json.loads(text)
    assert report["summary"]["filesAnalyzed"] == len(names)
    found = [
        (
            Path(each["file"]).relative_to(folder.resolve()).as_posix(),
            each["range"]["start"]["line"] + 1,
        )
        for each in report["generalDiagnostics"]
    ]
    return {name: {line for file, line in found if file == name} for name in names}


def named_leaves() -> list[str]:
    text = (CONSUMER / "consumer.py").read_text("utf-8")
    body = text[text.index("def describe(") : text.index("def text_of(")]
    return re.findall(r"v2\.(\w+)\(", body)


def with_newer_leaves() -> str:
    """Return `consumer.py` with a case for each update class that it doesn't name."""
    text = (CONSUMER / "consumer.py").read_text("utf-8")
    named = tuple(getattr(v2, name) for name in named_leaves())
    newer = [each for each in v2.SessionUpdate.__args__ if not issubclass(each, named)]
    cases = "".join(
        f'        case v2.{each.__name__}():\n            return "newer"\n' for each in newer
    )
    last = "        case _:\n            assert_never(update)\n"
    assert text.count(last) == 1
    return text.replace(last, cases + last)


def former_names() -> str:
    """Return a module with former class names, as type checkers see them in a generated package."""
    text = (GOLDEN / "expected" / "v2" / "__init__.py").read_text("utf-8")
    names = text[text.index("    @deprecated(") : text.index("else:\n")]
    assert "class Ring(Circle)" in names
    return (
        "from typing import TYPE_CHECKING\n\n\nclass Circle:\n    radius = 1\n\n\n"
        f"if TYPE_CHECKING:\n    from typing_extensions import deprecated\n\n{names}"
    )


@pytest.fixture(scope="module")
def consumers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the checked code to a folder without the project's configuration."""
    folder = tmp_path_factory.mktemp("typing") / "consumer"
    shutil.copytree(CONSUMER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "consumer.py").write_text(with_newer_leaves(), "utf-8")
    for example in (*TYPED_EXAMPLES, *TYPED_PROGRAMS):
        shutil.copy(example, folder)
    for name, text in PRINTED.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "former.py").write_text(former_names(), "utf-8")
    write_package(sample_extension(), folder / "acme")  # imported by the guide about extensions
    dropped = json.loads(only_block("official-sdk.md", "json"))
    models = build(dropped, "v1", unprefixed=True).surface
    write_package(models, folder / "session_models")  # imported by the guide for SDK users
    for name, surface in SAMPLES.items():
        extension = build(sample(name), surface, unprefixed=True).surface
        write_package(extension, folder / "samples" / name)
    (folder / "samples" / "__init__.py").touch()
    return folder


@pytest.fixture(scope="module", params=[mypy, pyright], ids=["mypy", "pyright"])
def reported(request: pytest.FixtureRequest, consumers: Path) -> dict[str, set[int]]:
    """The lines reported by a type checker, by module."""
    lines: dict[str, set[int]] = request.param(consumers)
    return lines


def test_right_code_is_clean(reported: dict[str, set[int]]) -> None:
    examples = {each.name for each in (*TYPED_EXAMPLES, *TYPED_PROGRAMS)}
    assert len(examples) == len(TYPED_EXAMPLES) + len(TYPED_PROGRAMS) > 10
    assert {"readme_01.py", "official_sdk_01.py", "cleaner.py", "echo.py"} <= PRINTED.keys()
    clean = {name for name, lines in reported.items() if not lines}
    assert reported.keys() - clean == set(WRONG)
    packages = {f"samples/{name}/types.py" for name in SAMPLES}
    assert {
        "consumer.py",
        "constants.py",
        "extended.py",
        "linked.py",
        *packages,
        *examples,
        *PRINTED,
    } <= clean


@pytest.mark.parametrize("name", WRONG)
def test_each_mistake_is_reported_and_nothing_else(
    name: str, reported: dict[str, set[int]]
) -> None:
    lines = (CONSUMER / name).read_text("utf-8").splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("  # error")}
    assert len(marked) >= WRONG[name]
    assert reported[name] == marked


def test_the_match_names_leaves_of_the_union() -> None:
    """Type checkers prove that the match is exhaustive, and this test finds superfluous cases."""
    named = named_leaves()
    assert len(set(named)) == len(named)
    assert set(named) <= {each.__name__ for each in v2.SessionUpdate.__args__}
