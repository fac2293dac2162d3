"""Measure the generated package, other libraries and the generator, and write a page about them.

    python tests/bench/run.py [--quick] [--out FILE]

Each contender has an environment of its own below `.venv/bench`, created on the first run. Nothing
fails for being slow: budgets are printed, and only a failed measurement fails the run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from report import (
    AT_ONCE,
    STATE_AGAINST,
    STATE_SIZES,
    Key,
    Results,
    render,
    render_budgets,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = ROOT / ".venv" / "bench"

# The packages of each environment. The generated package is copied into the first.
ENVIRONMENTS = {
    "ours": ("orjson==3.13.0",),
    "official-0.12.1": ("agent-client-protocol==0.12.1",),
    "official-1.0.0rc3": ("agent-client-protocol==1.0.0rc3",),
    "msgspec": ("msgspec==0.22.0",),
}
# The environment of each contender, in the order of their turns.
CONTENDERS = {
    "ours": "ours",
    "official-0.12.1": "official-0.12.1",
    "ours-orjson": "ours",
    "official-1.0.0rc3": "official-1.0.0rc3",
    "msgspec": "msgspec",
    "json": "ours",
}
# The imports to measure, by name in the report: the environment and the modules.
IMPORTS = {
    "acp_bindings.v1": ("ours", ("acp_bindings.v1",)),
    "acp_bindings.v2": ("ours", ("acp_bindings.v2",)),
    "acp_bindings.v1 and v2": ("ours", ("acp_bindings.v1", "acp_bindings.v2")),
    "acp.schema, SDK 0.12.1": ("official-0.12.1", ("acp.schema",)),
    "acp.schema, SDK 1.0.0rc3": ("official-1.0.0rc3", ("acp.schema",)),
    "acp.experimental.v2.schema, SDK 1.0.0rc3": (
        "official-1.0.0rc3",
        ("acp.experimental.v2.schema",),
    ),
}
# Clients and agents over a pipe, by name in the report: the environment of each.
PAIRS = {
    "ours": ("ours", "ours"),
    "official-0.12.1": ("official-0.12.1", "official-0.12.1"),
    "our client, agent of the SDK": ("ours", "official-0.12.1"),
    "client of the SDK, our agent": ("official-0.12.1", "ours"),
}
# The contenders whose session states are compared. A round takes most of a minute, so run few.
STATES = ("ours", "official-0.12.1")
STATE_ROUNDS = 3
ROUND_TRIPS = 5_000
MEMORY_COUNT = 10_000
SURFACES = ("v1", "v1_unstable", "v2", "v2_unstable")


def main() -> None:
    """Measure, write the page and print the budgets."""
    parser = argparse.ArgumentParser(description="Measure the generated package beside others.")
    parser.add_argument(
        "--quick", action="store_true", help="few rounds; no states, memory or generation"
    )
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md", help="the page to write")
    options = parser.parse_args()
    # Read the load first: later, it is this program's.
    machine = describe_machine()
    pythons = {name: make_environment(name, wanted) for name, wanted in ENVIRONMENTS.items()}
    install_ours(pythons["ours"])

    rounds = 3 if options.quick else 9
    values, versions, spread = measure_times(pythons, rounds)
    values |= measure_pipes(pythons, rounds, 200 if options.quick else ROUND_TRIPS)
    values |= measure_connection(pythons, rounds)
    values |= measure_imports(pythons, 3 if options.quick else 11)
    if not options.quick:
        values |= measure_states(pythons, STATE_ROUNDS)
        values |= measure_memory(pythons)
        values |= measure_kept(pythons)
        values |= measure_generate()
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    results = Results(today, machine, versions, values, spread, rounds)
    options.out.write_text(render(results), encoding="utf-8")
    print(render_budgets(results))


def describe_machine() -> dict[str, str]:
    """The facts that a reader must know about this machine, without its identity."""
    model = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    machine = {
        "CPU": model,
        "cores": str(os.cpu_count()),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    if hasattr(os, "getloadavg"):
        machine["load when it began"] = f"{os.getloadavg()[0]:.1f}"
    return machine


def make_environment(name: str, wanted: tuple[str, ...]) -> str:
    """The Python of an environment, which is created unless it is up to date."""
    folder = CACHE / name
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "contents.txt"
    contents = "\n".join((sys.version, *wanted))
    if not done.exists() or done.read_text(encoding="utf-8") != contents:
        log(f"making the environment {name}")
        run([sys.executable, "-m", "venv", "--clear", str(folder)])
        run([str(python), "-m", "pip", "install", "--quiet", *wanted])
        # Last, so that an incomplete environment is created again.
        done.write_text(contents, encoding="utf-8")
    return str(python)


def install_ours(python: str) -> None:
    """Copy the current generated package and compile it, as an installer does."""
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    target = Path(run([python, "-I", "-c", where]).strip()) / "acp_bindings"
    shutil.rmtree(target, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "generated" / "acp_bindings", target, ignore=ignore)
    run([python, "-I", "-m", "compileall", "-q", str(target)])


def measure_times(
    pythons: dict[str, str], rounds: int
) -> tuple[dict[Key, float], dict[str, dict[str, str]], float]:
    """Time all messages with all contenders, in turns, so that drift affects all alike.

    Returns:
        The best times, the versions, and the typical distance of a round from the best.
    """
    found: dict[Key, list[float]] = {}
    versions: dict[str, dict[str, str]] = {}
    for number in range(rounds):
        log(f"round {number + 1} of {rounds}")
        for contender in CONTENDERS:
            result = work(pythons, contender)
            versions[contender] = result["versions"]
            for row in result["rows"]:
                key = ("time", contender, row["protocol"], row["message"], row["operation"])
                found.setdefault(key, []).append(row["seconds"])
    spread = statistics.median(
        statistics.median(times) / min(times) - 1 for times in found.values()
    )
    return {key: min(times) for key, times in found.items()}, versions, spread


def measure_pipes(pythons: dict[str, str], rounds: int, count: int) -> dict[Key, float]:
    """Time clients and agents over a pipe, in turns; the best time counts."""
    log("pipes")
    found: dict[Key, list[float]] = {}
    for _ in range(rounds):
        for pair, (client, agent) in PAIRS.items():
            for in_flight in (1, AT_ONCE):
                programs = (
                    pipe_program(pythons, client, "client"),
                    pipe_program(pythons, agent, "agent"),
                )
                command = [*programs[0], str(count), str(in_flight), *programs[1]]
                for act, seconds in json.loads(run(command)).items():
                    found.setdefault(("pipe", pair, act, str(in_flight)), []).append(seconds)
        raw = json.loads(run([sys.executable, "-I", str(HERE / "pipe" / "raw.py"), str(count)]))
        found.setdefault(("pipe", "raw"), []).append(raw)
    return {key: min(times) for key, times in found.items()}


def pipe_program(pythons: dict[str, str], environment: str, role: str) -> list[str]:
    """The command of a client or agent, without the user's PYTHON… variables."""
    kind = "ours" if environment == "ours" else "official"
    return [pythons[environment], "-E", "-s", "-B", str(HERE / "pipe" / f"{kind}_{role}.py")]


def measure_connection(pythons: dict[str, str], rounds: int) -> dict[Key, float]:
    """Time the connection without input and output; the best time counts."""
    log("connection")
    command = [pythons["ours"], "-E", "-s", "-B", str(HERE / "connection.py")]
    results = [json.loads(run(command)) for _ in range(rounds)]
    return {("connection", what): min(each[what] for each in results) for what in results[0]}


def measure_states(pythons: dict[str, str], rounds: int) -> dict[Key, float]:
    """Time session states, in turns; the median counts."""
    found: dict[Key, list[float]] = {}
    chunks, calls = (str(count) for count in STATE_AGAINST.values())
    for number in range(rounds):
        log(f"session states, round {number + 1} of {rounds}")
        for contender in STATES:
            command = [pythons[CONTENDERS[contender]], "-E", "-s", "-B", str(HERE / "state.py")]
            command += ["--contender", contender, "--chunks", chunks, "--calls", calls]
            command += ["--sizes", *map(str, STATE_SIZES)]
            for row in json.loads(run(command)):
                key = ("state", contender, row["protocol"], row["what"], row["form"])
                found.setdefault((*key, str(row["count"])), []).append(row["seconds"])
    return {key: statistics.median(times) for key, times in found.items()}


def measure_memory(pythons: dict[str, str]) -> dict[Key, float]:
    """Measure the memory of decoded text chunks; it does not vary, so once is enough."""
    log("memory")
    return {
        ("memory", contender, row["protocol"]): row["bytes"]
        for contender in CONTENDERS
        for row in work(pythons, contender, "--memory", str(MEMORY_COUNT))["rows"]
    }


def measure_kept(pythons: dict[str, str]) -> dict[Key, float]:
    """Measure the memory of connections and sessions; it does not vary, so once is enough."""
    log("memory of connections")
    command = [pythons["ours"], "-E", "-s", "-B", str(HERE / "memory.py")]
    return {("kept", what): size for what, size in json.loads(run(command)).items()}


def work(pythons: dict[str, str], contender: str, *arguments: str) -> Any:
    """The output of the worker for a contender."""
    # Without the user's PYTHON… variables and packages, and without writing bytecode.
    command = [pythons[CONTENDERS[contender]], "-E", "-s", "-B", str(HERE / "worker.py")]
    return json.loads(run([*command, "--contender", contender, *arguments]))


def measure_imports(pythons: dict[str, str], runs: int) -> dict[Key, float]:
    """Time fresh interpreters, alternately empty and importing; the median difference counts."""
    log("imports")
    found: dict[Key, list[float]] = {}
    for environment, modules in IMPORTS.values():
        check_compiled(pythons[environment], modules)
    for _ in range(runs):
        for name, (environment, modules) in IMPORTS.items():
            empty = time_interpreter(pythons[environment], "pass")
            full = time_interpreter(pythons[environment], f"import {', '.join(modules)}")
            found.setdefault(("import", name), []).append(full - empty)
    return {key: statistics.median(times) for key, times in found.items()}


def time_interpreter(python: str, code: str) -> float:
    """The seconds from the start of an interpreter to its end."""
    start = time.perf_counter()
    run([python, "-I", "-c", code])
    return time.perf_counter() - start


def check_compiled(python: str, modules: tuple[str, ...]) -> None:
    """Make sure that modules are loaded from bytecode. This also warms the file cache."""
    for module in modules:
        code = f"import os, {module}; assert os.path.exists({module}.__cached__)"
        run([python, "-I", "-c", code])


def measure_generate() -> dict[Key, float]:
    """Time the generation of all four surfaces in a new process, and checks of the result.

    The processor time tells a slow generator from a busy machine.
    """
    log("generation")
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "acp_bindings"
        before = os.times()
        seconds = time_acpgen("generate", "--out", str(target))
        after = os.times()
        for surface in SURFACES:
            if not (target / surface / "codec.py").exists():
                raise SystemExit(f"acpgen generate wrote no {surface}")
        checks = [time_acpgen("check", "--out", str(target)) for _ in range(5)]
    used = sum(after[2:4]) - sum(before[2:4])
    return {
        ("generate",): seconds,
        ("generate", "processor"): used,
        ("check",): statistics.median(checks),
    }


def time_acpgen(*arguments: str) -> float:
    """The seconds from the start of `acpgen` to its end."""
    start = time.perf_counter()
    run([sys.executable, "-m", "acpgen", *arguments])
    return time.perf_counter() - start


def run(command: list[str]) -> str:
    """The standard output of a command that must succeed."""
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def log(text: str) -> None:
    """Report progress."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
