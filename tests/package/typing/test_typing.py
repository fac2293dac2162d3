"""Code that uses the package, checked by mypy and pyright."""

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
from extensions.packages import build, write_package
from support.paths import EXAMPLES, GUIDE_TEMPLATES, MIGRATED_EXAMPLES, PROGRAMS, README
from support.printed import blocks, fenced

CONSUMER = Path(__file__).parent / "consumer"
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

# Installed packages are found with the interpreter that runs the tests.
CHECKERS = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in ("mypy", "pyright")]


def run(*command: str, cwd: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, timeout=300
    )
    # Both exit with 1 if they report something; other codes mean that they failed.
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.returncode, done.stdout


def mypy(folder: Path) -> dict[str, set[int]]:
    names = sorted(file.name for file in folder.glob("*.py"))
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\n", "utf-8")
    options = ("--config-file", "mypy.ini", "--python-version", "3.10", "--no-error-summary")
    code, text = run("mypy", *options, "--cache-dir", str(folder / "cache"), *names, cwd=folder)
    found = re.findall(r"^([^\s:]+):(\d+): error: ", text, re.MULTILINE)
    assert bool(code) is bool(found), text
    return {name: {int(line) for file, line in found if file == name} for name in names}


def pyright(folder: Path) -> dict[str, set[int]]:
    names = sorted(file.name for file in folder.glob("*.py"))
    config = {"include": ["*.py"], "typeCheckingMode": "strict", "pythonVersion": "3.10"}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), "utf-8")
    options = ("--outputjson", "--project", str(folder), "--pythonpath", sys.executable)
    _, text = run("pyright", *options, cwd=folder)
    report = json.loads(text)
    assert report["summary"]["filesAnalyzed"] == len(names)
    found = [
        (Path(each["file"]).name, each["range"]["start"]["line"] + 1)
        for each in report["generalDiagnostics"]
    ]
    return {name: {line for file, line in found if file == name} for name in names}


def named_leaves() -> list[str]:
    text = (CONSUMER / "consumer.py").read_text("utf-8")
    body = text[text.index("def describe(") : text.index("def text_of(")]
    return re.findall(r"v2\.(\w+)\(", body)


def with_newer_leaves() -> str:
    """The consumer with a case for each kind of update that the schema has added since."""
    text = (CONSUMER / "consumer.py").read_text("utf-8")
    named = tuple(getattr(v2, name) for name in named_leaves())
    newer = [each for each in v2.SessionUpdate.__args__ if not issubclass(each, named)]
    cases = "".join(
        f'        case v2.{each.__name__}():\n            return "newer"\n' for each in newer
    )
    last = "        case _:\n            assert_never(update)\n"
    assert text.count(last) == 1
    return text.replace(last, cases + last)


@pytest.fixture(scope="module", params=CHECKERS)
def reported(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, set[int]]:
    """The reported lines, found in a separate folder, so that no configuration leaks in."""
    folder = tmp_path_factory.mktemp(request.param) / "consumer"
    shutil.copytree(CONSUMER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "consumer.py").write_text(with_newer_leaves(), "utf-8")
    for example in (*TYPED_EXAMPLES, *TYPED_PROGRAMS):
        shutil.copy(example, folder)
    for name, text in PRINTED.items():
        (folder / name).write_text(text, "utf-8")
    write_package(sample_extension(), folder / "acme")  # which the guide about extensions imports
    # That which the guide about the official SDK imports.
    [models] = fenced(GUIDE_TEMPLATES / "official-sdk.md", "json")
    write_package(build(json.loads(models), "v1", unprefixed=True).surface, folder / "models")
    return {"mypy": mypy, "pyright": pyright}[request.param](folder)


def test_right_code_is_clean(reported: dict[str, set[int]]) -> None:
    examples = {each.name for each in (*TYPED_EXAMPLES, *TYPED_PROGRAMS)}
    assert len(examples) == len(TYPED_EXAMPLES) + len(TYPED_PROGRAMS) > 10
    assert {"readme_01.py", "official_sdk_01.py", "cleaner.py", "echo.py"} <= PRINTED.keys()
    clean = {name for name, lines in reported.items() if not lines}
    assert reported.keys() - clean == {"wrong.py"}
    assert {"consumer.py", *examples, *PRINTED} <= clean


def test_each_mistake_is_reported_and_nothing_else(reported: dict[str, set[int]]) -> None:
    lines = (CONSUMER / "wrong.py").read_text("utf-8").splitlines()
    marked = {number for number, line in enumerate(lines, 1) if line.endswith("  # error")}
    assert len(marked) > 40
    assert reported["wrong.py"] == marked


def test_the_match_names_leaves_of_the_union() -> None:
    """The checkers prove that the match is exhaustive; this test, that no case is superfluous."""
    named = named_leaves()
    assert len(set(named)) == len(named)
    assert set(named) <= {each.__name__ for each in v2.SessionUpdate.__args__}
