"""Generate random mutants of the source code and run the tests that should detect them.

    python tests/tools/mutation/run_mutants.py [N] [--seed SEED] [--workers 2] [--under FOLDER]

Each mutant changes one expression or statement of a module in `generator` or `templates`, in a copy
of the checkout. The program generates the package, compares the generated files (unless the changed
module is copied into the package), and runs the tests of the module, of its folder and of its area.
The first step that fails kills the mutant. The program prints each mutant with the test that killed
it, and finally the survivors. If any mutant survives, the program exits with status 1.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

ROOT = Path(__file__).resolve().parents[3]
sys.path[0:0] = [str(ROOT)]

from tests.tools.mutation.mutating import Mutant, find_mutants  # noqa: E402

SOURCES = ("generator", "templates")
COPIED = ("generator", "generated", "schema", "templates", "tests", "pyproject.toml", "README.md")
MORE = ("CHANGELOG.md", "CONTRIBUTING.md", "Makefile", ".ci", ".github", ".pre-commit-hooks.yaml")
# The time limit for a test run, in seconds. Even the slowest tests take less time, so a mutant that
# exceeds the limit is considered killed.
TIMEOUT = 1800


@dataclass(frozen=True)
class Drawn:
    """A mutant and the path of its module, relative to the checkout."""

    path: Path
    mutant: Mutant

    def __str__(self) -> str:
        before = " ".join(self.mutant.before.split())[:70]
        after = " ".join(self.mutant.after.split())[:70]
        return f"{self.path}:{self.mutant.line}: {self.mutant.operator}: {before} -> {after}"


def draw(count: int, seed: int, under: str) -> list[Drawn]:
    """Draw random mutants. All operators are equally likely, including rare ones."""
    places: dict[str, list[Drawn]] = {}
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT)
            if name.as_posix().startswith(under):
                for mutant in find_mutants(path.read_text("utf-8")):
                    places.setdefault(mutant.operator, []).append(Drawn(name, mutant))
    chance = random.Random(seed)
    operators = sorted(places)
    return [chance.choice(places[chance.choice(operators)]) for _ in range(count)]


def near_tests(path: Path) -> Iterator[list[str]]:
    """Yield groups of tests for a module, from its nearest tests to all tests of its area."""
    parts = path.with_suffix("").parts[1:]
    if parts[0] == "new":
        parts = ("acpgen", "commands", "new")  # the command that copies these files
    elif path.parts[0] == "templates":
        parts = ("package", *(parts[1:] if parts[0] == "runtime" else parts))
    *folders, module = parts
    seen: set[str] = set()
    folder = Path("tests", *folders)
    nearest = sorted((ROOT / folder).glob(f"test_{module}*.py"))
    stages = [[str(each.relative_to(ROOT)) for each in nearest]]
    while len(folder.parts) > 1:
        stages.append([str(folder)] if (ROOT / folder).is_dir() else [])
        folder = folder.parent
    for stage in stages:
        if stage and stage[0] not in seen:
            seen.update(stage)
            yield stage


def run(drawn: Drawn, copy: Path) -> str | None:
    """Test a mutant in a copy of the checkout and return the test or step that failed, if any."""
    file = copy / drawn.path
    original = file.read_text("utf-8")
    file.write_text(drawn.mutant.source, "utf-8")
    try:
        if drawn.path.parts[:2] in (("generator", "acpgen"), *_copied_folders()):
            if _run(copy, "-m", "acpgen", "generate"):
                return "generate"
            if drawn.path.parts[0] == "generator" and _differs(copy):
                return "the generated package"
        for stage in near_tests(drawn.path):
            arguments = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *stage)
            if output := _run(copy, *arguments):
                found = re.search("^(?:FAILED|ERROR) (tests/.*?)(?: - |$)", output, re.M)
                return found[1] if found else stage[0]
        return None
    finally:
        file.write_text(original, "utf-8")
        shutil.rmtree(copy / "generated")
        shutil.copytree(ROOT / "generated", copy / "generated")


def _copied_folders() -> list[tuple[str, ...]]:
    return [("templates", path.name) for path in (ROOT / "templates").iterdir() if path.is_dir()]


def _differs(copy: Path) -> bool:
    ours, theirs = ROOT / "generated", copy / "generated"
    return any(
        path.read_bytes() != (theirs / path.relative_to(ours)).read_bytes()
        for path in ours.rglob("*.py")
        if (theirs / path.relative_to(ours)).exists()
    )


def _run(copy: Path, *arguments: str) -> str:
    """Run a Python command in a copy. Return its output if it fails, otherwise an empty string."""
    modules = [copy / "generator", copy / "generated", copy]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, modules)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with tempfile.TemporaryDirectory() as base:
        if arguments[1] == "pytest":
            arguments = (*arguments, "--basetemp", f"{base}/tests")
        try:
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=copy,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=TIMEOUT,
                check=False,
                preexec_fn=_restore_signals if os.name == "posix" else None,
            )
        except subprocess.TimeoutExpired:
            return "timed out"
    return "" if done.returncode in (0, 5) else done.stdout or "failed"  # 5: no tests


def _restore_signals() -> None:
    """Stop ignoring the signals that background processes ignore, since tests send them."""
    for number in (signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--under", default="", help="mutate only modules under this path")
    options = parser.parse_args()
    drawn = draw(options.count, options.seed, options.under)
    survivors: list[Drawn] = []
    with tempfile.TemporaryDirectory() as scratch:
        copies: SimpleQueue[Path] = SimpleQueue()
        for number in range(options.workers):
            copies.put(_copy(Path(scratch, str(number))))

        def judge(each: Drawn) -> None:
            copy = copies.get()
            try:
                killer = run(each, copy)
            finally:
                copies.put(copy)
            if killer is None:
                survivors.append(each)
            print(f"{'survived' if killer is None else f'killed by {killer}'}: {each}", flush=True)

        with ThreadPoolExecutor(options.workers) as pool:
            list(pool.map(judge, drawn))
    killed = len(drawn) - len(survivors)
    print(f"seed {options.seed}: {killed} of {len(drawn)} killed; survivors:")
    for each in survivors:
        print(f"  {each}")
    return 1 if survivors else 0


def _copy(folder: Path) -> Path:
    """Copy the parts of the checkout that tests need. The copy shares the virtual environment."""
    folder.mkdir()
    for name in (*COPIED, *MORE):
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "node_modules")
            shutil.copytree(source, folder / name, ignore=ignored, symlinks=True)
        elif source.exists():
            shutil.copy(source, folder / name)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


if __name__ == "__main__":
    raise SystemExit(main())
