"""Measure starting, importing and memory beside the official SDK, and print a row for each.

    python tests/bench/footprint.py

It takes two minutes, and makes the environments of `run.py` first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from run import ENVIRONMENTS, HERE, IMPORTS, install_ours, make_environment, measure_imports, run

OURS, OFFICIAL = "ours", "official-0.12.1"
SDK_IMPORT = "acp.schema, SDK 0.12.1"
RUNS = 11


def starts(pythons: dict[str, str]) -> Iterator[tuple[str, float, float]]:
    """From the start of a process to the answer of `initialize`, in milliseconds."""
    programs = [
        f"{OURS}={pythons[OURS]}:{HERE / 'pipe' / 'ours_agent.py'}",
        f"{OFFICIAL}={pythons[OFFICIAL]}:{HERE / 'pipe' / 'official_agent.py'}",
        f"floor={pythons[OURS]}:{HERE / 'pipe' / 'floor_agent.py'}",
    ]
    found = json.loads(run([pythons[OURS], "-B", str(HERE / "start.py"), str(RUNS), *programs]))
    times = {name: seconds * 1e3 for name, seconds in found.items()}
    yield "start to the answer of `initialize`, ms", times[OURS], times[OFFICIAL]
    yield "of these, an empty loop of asyncio, ms", times["floor"], times[OFFICIAL]


def imports(pythons: dict[str, str]) -> Iterator[tuple[str, float, float]]:
    """Imports, in milliseconds."""
    found = measure_imports(pythons, RUNS)
    for name, (environment, _) in IMPORTS.items():
        if environment == OURS:
            ours, sdk = found["import", name], found["import", SDK_IMPORT]
            yield f"import {name}, ms", ours * 1e3, sdk * 1e3


def weights(pythons: dict[str, str]) -> Iterator[tuple[str, float, float]]:
    """Memory, in bytes."""
    command = ["-E", "-s", "-B", str(HERE / "weights.py"), "--contender"]
    ours, sdk = (json.loads(run([pythons[n], *command, n])) for n in (OURS, OFFICIAL))
    for what, size in ours.items():
        yield f"{what}, bytes", size, sdk[what]


def main() -> None:
    """Measure and print."""
    pythons = {name: make_environment(name, ENVIRONMENTS[name]) for name in ENVIRONMENTS}
    install_ours(pythons[OURS])
    print("| what | ours | SDK 0.12.1 | ratio |\n| --- | ---: | ---: | ---: |")
    for measure in (starts, imports, weights):
        for what, ours, sdk in measure(pythons):
            print(f"| {what} | {ours:,.1f} | {sdk:,.1f} | {ours / sdk:.3f}x |", flush=True)


if __name__ == "__main__":
    main()
