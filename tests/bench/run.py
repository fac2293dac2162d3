"""Measure the generated package, other libraries and the generator; write a page and a plot.

    python tests/bench/run.py [--quick] [--out FILE]

Each contender has an environment of its own below `.venv/bench`, created on the first run. Nothing
fails for being slow: budgets are printed, and only a failed measurement fails the run. The
TypeScript SDK is left out where there is no Node.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from pathlib import Path

sys.path[0:0] = [str(Path(__file__).resolve().parents[1])]

from bench import measure  # noqa: E402
from bench.environments import HERE, Unavailable, log, make_node, make_pythons  # noqa: E402
from bench.plot import draw  # noqa: E402
from bench.report import render, render_budgets  # noqa: E402
from bench.results import TYPESCRIPT, Results  # noqa: E402

PAGE = HERE / "RESULTS.md"
ROUND_TRIPS = 5_000


def main() -> None:
    """Measure, print the budgets, and write the page and the plot."""
    parser = argparse.ArgumentParser(description="Measure the generated package beside others.")
    parser.add_argument(
        "--quick", action="store_true", help="few rounds; no states, memory or generation"
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="the page to write, and beside it the plot, as .svg; a quick run writes none without "
        f"it, a whole one {PAGE.name}",
    )
    options = parser.parse_args()
    results = measure_all(options.quick)
    print(render_budgets(results))
    page = options.out or (None if options.quick else PAGE)
    if page is not None:
        page.write_text(render(results), encoding="utf-8")
        page.with_suffix(".svg").write_text(draw(results), encoding="utf-8")


def measure_all(quick: bool) -> Results:
    """The results of a whole run, or of a quick one."""
    # Read the load first: later, it is this program's.
    machine = describe_machine()
    pythons = make_pythons()
    missing: dict[str, str] = {}
    node = None
    try:
        node = make_node(TYPESCRIPT)
    except Unavailable as error:
        log(f"{TYPESCRIPT} is not measured: {error}")
        missing[TYPESCRIPT] = str(error)

    rounds = 3 if quick else 9
    samples, versions = measure.measure_times(pythons, node, rounds)
    spread = measure.typical_spread(samples)
    samples |= measure.measure_pipes(pythons, rounds, 200 if quick else ROUND_TRIPS)
    samples |= measure.measure_connection(pythons, rounds)
    samples |= measure.measure_imports(pythons, 3 if quick else 11)
    samples |= measure.measure_starts(pythons, 3 if quick else 11)
    sizes = {}
    if not quick:
        # A round takes most of a minute, so there are few.
        samples |= measure.measure_states(pythons, 3)
        samples |= measure.measure_generate(3)
        sizes = measure.measure_memory(pythons) | measure.measure_kept(pythons)
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    values = measure.medians(samples) | sizes
    return Results(today, machine, versions, values, spread, rounds, missing)


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


if __name__ == "__main__":
    main()
