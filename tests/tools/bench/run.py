"""Measure the generated package, other libraries and the generator. Write a report and a plot.

    python tests/tools/bench/run.py [--only PART...] [--out FILE]

Each contender has its own environment in `.venv/bench`, created on the first run. The run
fails if a measurement fails, but not if a budget is missed. The TypeScript SDK is omitted if
Node.js is not installed.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from collections.abc import Callable, Collection
from pathlib import Path

sys.path[0:0] = [str(Path(__file__).resolve().parents[3])]

from tests.interop import environments as interop  # noqa: E402
from tests.tools.bench import measure  # noqa: E402
from tests.tools.bench.environments import HERE, log, make_pythons  # noqa: E402
from tests.tools.bench.plot import draw  # noqa: E402
from tests.tools.bench.report import render, render_budgets  # noqa: E402
from tests.tools.bench.results import MANY, TITLES, TYPESCRIPT, Results  # noqa: E402

PAGE = HERE / "RESULTS.md"
PARTS = (
    *("messages", "pipes", "remote", "connection"),
    *("imports", "starts", "states", "generation", "memory"),
)
ROUNDS, MANY_ROUNDS = 9, 11
FEW_ROUNDS = 3  # a round takes almost a minute
ROUND_TRIPS, REMOTE_TRIPS = 5_000, 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the generated package with others.")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="the parts to measure")
    parser.add_argument(
        "--out",
        type=Path,
        help="the page to write, with the plot next to it as .svg; by default, a run of all parts "
        f"writes {PAGE.name}",
    )
    options = parser.parse_args()
    parts = options.only or PARTS
    results = measure_all(parts)
    print(render_budgets(results))
    page = options.out or (PAGE if set(parts) == set(PARTS) else None)
    if page is not None:
        page.write_text(render(results), encoding="utf-8")
        page.with_suffix(".svg").write_text(draw(results), encoding="utf-8")


def measure_all(parts: Collection[str]) -> Results:
    # Read the system load first: later, it would include the load of this program.
    machine = describe_machine()
    pythons = make_pythons()
    samplers: dict[str, Callable[[], measure.Samples]] = {
        "pipes": lambda: measure.measure_pipes(pythons, ROUNDS, ROUND_TRIPS),
        "remote": lambda: measure.measure_remote(pythons, FEW_ROUNDS, REMOTE_TRIPS, MANY),
        "connection": lambda: measure.measure_connection(pythons, ROUNDS),
        "imports": lambda: measure.measure_imports(pythons, MANY_ROUNDS),
        "starts": lambda: measure.measure_starts(pythons, MANY_ROUNDS),
        "states": lambda: measure.measure_states(pythons, FEW_ROUNDS),
        "generation": lambda: measure.measure_generate(FEW_ROUNDS),
    }
    samples: measure.Samples = {}
    versions: dict[str, dict[str, str]] = {}
    missing: frozenset[str] = frozenset()
    sizes = {}
    if "messages" in parts:
        node = find_node()
        missing = frozenset() if node else frozenset({TYPESCRIPT})
        samples, versions = measure.measure_times(pythons, node, ROUNDS)
    for part, sample in samplers.items():
        if part in parts:
            samples |= sample()
    if "memory" in parts:
        sizes = measure.measure_memory(pythons)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    values = measure.medians(samples) | sizes
    spread = measure.typical_spread(samples)
    return Results(today, machine, versions, values, spread, ROUNDS, missing)


def find_node() -> Path | None:
    """Return the environment of the TypeScript SDK, or None if it can't be created."""
    try:
        return interop.node()
    except interop.Unavailable as error:
        log(f"{TITLES[TYPESCRIPT]} is not measured: {error}")
        return None


def describe_machine() -> dict[str, str]:
    """Return a description of this machine without details that would identify it."""
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
        machine["load at the start"] = f"{os.getloadavg()[0]:.1f}"
    return machine


if __name__ == "__main__":
    main()
