"""The measurements.

The contenders take turns, each in a new process, so that drift affects all of them equally. Within
a process, only the fastest of several batches counts, since disturbances only make batches slower.
Processes also differ in hash seeds and memory layout, and users can't rely on the fastest process,
so the result is the median over all processes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.tools.bench.environments import HERE, log, python_program, run
from tests.tools.bench.messages import MESSAGES
from tests.tools.bench.results import (
    AT_ONCE,
    BARE,
    OFFICIAL,
    SDK_IMPORT,
    STATE_AGAINST,
    STATE_READ,
    TITLES,
    TRANSPORTS,
    TYPESCRIPT,
    Key,
)
from tests.tools.bench.start import Agent, time_starts, weigh_at_rest

# The environment of each contender, in the order of their turns.
CONTENDERS = {
    "ours": "ours",
    "official-0.12.1": "official-0.12.1",
    "ours-orjson": "ours",
    "official-1.0.0rc3": "official-1.0.0rc3",
    "json": "ours",
}
# The environment and modules of each import to measure, by the import's name in the report.
IMPORTS = {
    "acp_bindings.v1": ("ours", ("acp_bindings.v1",)),
    "acp_bindings.v2": ("ours", ("acp_bindings.v2",)),
    "acp_bindings.v1 and v2": ("ours", ("acp_bindings.v1", "acp_bindings.v2")),
    SDK_IMPORT: ("official-0.12.1", ("acp.schema",)),
    "acp.schema, SDK 1.0.0rc3": ("official-1.0.0rc3", ("acp.schema",)),
    "acp.experimental.v2.schema, SDK 1.0.0rc3": (
        "official-1.0.0rc3",
        ("acp.experimental.v2.schema",),
    ),
}
# The pairs of a client and an agent that communicate over a pipe, by name in the report. `bare`
# refers to the programs without a library, which run in our environment.
PAIRS = {
    "ours": ("ours", "ours"),
    BARE: ("bare", "bare"),
    "official-0.12.1": ("official-0.12.1", "official-0.12.1"),
    "our client, SDK agent": ("ours", "official-0.12.1"),
    "SDK client, our agent": ("official-0.12.1", "ours"),
}
# The contenders that support WebSocket and HTTP, with the names used in their programs' file names.
REMOTE = {"ours": "ours", "official-1.0.0rc3": "official"}
# The time limit for a program that uses the SDK, in seconds.
PATIENCE = 120.0
# The environment, program and protocol version of each agent to start, by name in the report.
AGENTS = {
    "ours, v1": ("ours", "ours_agent.py", 1),
    "ours, v2": ("ours", "ours_agent_v2.py", 2),
    TITLES[OFFICIAL["v1"]]: (OFFICIAL["v1"], "official_agent.py", 1),
    "nothing but an event loop": ("ours", "floor_agent.py", 1),
}
# The contenders whose session states are compared.
STATES = ("ours", "official-0.12.1")
SURFACES = ("v1", "v1_unstable", "v2", "v2_unstable")
# The number of batches for each operation in the Node.js program, and a batch's length in seconds.
BATCHES, BATCH_SECONDS = 10, 0.01

Pythons = Mapping[str, str]
Samples = dict[Key, list[float]]


def medians(samples: Samples) -> dict[Key, float]:
    return {key: statistics.median(values) for key, values in samples.items()}


def typical_spread(samples: Samples) -> float:
    """Return the median deviation of samples from their measurement's median, as a fraction."""
    distances = [
        abs(value / statistics.median(values) - 1)
        for values in samples.values()
        for value in values
    ]
    return statistics.median(distances) if distances else 0.0


def measure_times(
    pythons: Pythons, node: Path | None, rounds: int
) -> tuple[Samples, dict[str, dict[str, str]]]:
    samples: Samples = defaultdict(list)
    versions: dict[str, dict[str, str]] = {}
    for number in range(rounds):
        log(f"messages, round {number + 1} of {rounds}")
        for contender, result in _each_contender(pythons, node):
            versions[contender] = result["versions"]
            for row in result["rows"]:
                key = ("time", contender, row["protocol"], row["message"], row["operation"])
                samples[key].append(row["seconds"])
    return samples, versions


def _each_contender(pythons: Pythons, node: Path | None) -> Iterator[tuple[str, Any]]:
    for name, environment in CONTENDERS.items():
        command = python_program(pythons[environment], "worker.py", "--contender", name)
        yield name, json.loads(run(command))
    if node is not None:
        yield TYPESCRIPT, run_typescript(node, BATCHES, BATCH_SECONDS)


def run_typescript(node: Path, batches: int, seconds: float) -> Any:
    messages = [
        {"protocol": each.protocol, "message": each.name, "type": each.type_name, "text": each.text}
        for each in MESSAGES
    ]
    arguments = [str(HERE / "typescript.mjs"), str(node), str(batches), str(seconds)]
    return json.loads(run(["node", *arguments], json.dumps(messages)))


def measure_pipes(pythons: Pythons, rounds: int, count: int) -> Samples:
    log("pipes")
    samples: Samples = defaultdict(list)
    for _ in range(rounds):
        for pair, (client, agent) in PAIRS.items():
            for in_flight in (1, AT_ONCE):
                command = [
                    *_pipe_program(pythons, client, "client"),
                    *(str(count), str(in_flight)),
                    *_pipe_program(pythons, agent, "agent"),
                ]
                for act, seconds in json.loads(run(command)).items():
                    samples[("pipe", pair, act, str(in_flight))].append(seconds)
        raw = json.loads(run([sys.executable, "-I", str(HERE / "pipe" / "raw.py"), str(count)]))
        samples[("pipe", "raw")].append(raw)
    return samples


def _pipe_program(pythons: Pythons, contender: str, role: str) -> list[str]:
    kind = contender.partition("-")[0]
    return python_program(pythons.get(contender, pythons["ours"]), f"pipe/{kind}_{role}.py")


def measure_remote(pythons: Pythons, rounds: int, count: int, many: tuple[int, ...]) -> Samples:
    """Time calls over remote transports and a pipe, and measure servers with many connections.

    If a program that uses the SDK fails or hangs, its row is omitted.
    """
    samples: Samples = defaultdict(list)
    own = pythons["ours"]
    for number in range(rounds):
        log(f"remote connections, round {number + 1} of {rounds}")
        for in_flight in (1, AT_ONCE):
            counts = str(count), str(in_flight)
            command = python_program(own, "pipe/ours_client.py", *counts)
            command += python_program(own, "pipe/ours_agent.py")
            for act, seconds in json.loads(run(command)).items():
                samples["remote", "stdio", "ours", act, str(in_flight)].append(seconds)
            for contender, kind in REMOTE.items():
                for transport in TRANSPORTS:
                    program = f"pipe/remote_{kind}_client.py"
                    with _remote_agent(pythons[contender], kind) as (url, _):
                        command = python_program(pythons[contender], program, *counts)
                        found = _try([*command, transport, url], kind)
                    for act, seconds in found.items():
                        key = ("remote", transport, contender, act, str(in_flight))
                        samples[key].append(seconds)
        for contender, kind in REMOTE.items():
            for transport in TRANSPORTS:
                for connections in many:
                    with _remote_agent(pythons[contender], kind) as (url, pid):
                        program = python_program(own, "pipe/remote_many.py", str(connections))
                        found = _try([*program, transport, url, str(pid)], kind)
                    for what, value in found.items():
                        samples["many", transport, contender, what, str(connections)].append(value)
    return samples


@contextmanager
def _remote_agent(python: str, kind: str) -> Iterator[tuple[str, int]]:
    """Run an agent's server. Yield its URL and process id."""
    command = python_program(python, f"pipe/remote_{kind}_agent.py")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
            process.stdin.close()
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass  # the server waits for connections that don't close
        finally:
            process.kill()


def _try(command: list[str], kind: str) -> Any:
    """Run a program and return its results, which are empty if an SDK program fails or hangs."""
    if kind == "ours":
        return json.loads(run(command))
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        log(f"{command[-2:]} with the SDK: {error}")
        return {}
    return json.loads(done.stdout)


def measure_connection(pythons: Pythons, rounds: int) -> Samples:
    log("connection")
    samples: Samples = defaultdict(list)
    for _ in range(rounds):
        for program in ("connection.py", "bridge.py"):
            found = json.loads(run(python_program(pythons["ours"], program)))
            for what, seconds in found.items():
                samples[("connection", what)].append(seconds)
    return samples


def measure_imports(pythons: Pythons, rounds: int) -> Samples:
    """Time interpreters with and without the imports, in turn, and record the differences."""
    log("imports")
    samples: Samples = defaultdict(list)
    for environment, modules in IMPORTS.values():
        _check_compiled(pythons[environment], modules)
    for _ in range(rounds):
        for name, (environment, modules) in IMPORTS.items():
            empty = _time([pythons[environment], "-I", "-c", "pass"])
            full = _time([pythons[environment], "-I", "-c", f"import {', '.join(modules)}"])
            samples[("import", name)].append(full - empty)
    return samples


def _check_compiled(python: str, modules: tuple[str, ...]) -> None:
    """Check that modules are loaded from bytecode. The check also fills the file cache."""
    for module in modules:
        code = f"import os, {module}; assert os.path.exists({module}.__cached__)"
        run([python, "-I", "-c", code])


def measure_starts(pythons: Pythons, rounds: int) -> Samples:
    log("starts")
    agents = {
        name: Agent(tuple(python_program(pythons[environment], f"pipe/{program}")), protocol)
        for name, (environment, program, protocol) in AGENTS.items()
    }
    samples = {("start", name): times for name, times in time_starts(agents, rounds).items()}
    for name, agent in agents.items():
        samples["rest", name] = [weigh_at_rest(agent) for _ in range(rounds)]
    return samples


def measure_states(pythons: Pythons, rounds: int) -> Samples:
    samples: Samples = defaultdict(list)
    chunks, calls = (str(count) for count in STATE_AGAINST.values())
    for number in range(rounds):
        log(f"session states, round {number + 1} of {rounds}")
        for contender in STATES:
            command = python_program(pythons[CONTENDERS[contender]], "state.py")
            command += ["--contender", contender, "--chunks", chunks, "--calls", calls]
            for row in json.loads(run(command)):
                if row["form"] == STATE_READ:
                    samples[("read",)].append(row["seconds"] * row["count"])
                    continue
                key = ("state", contender, row["protocol"], row["what"], row["form"])
                samples[(*key, str(row["count"]))].append(row["seconds"])
    return samples


def measure_memory(pythons: Pythons) -> dict[Key, float]:
    """Measure the memory used by messages and sessions. One measurement is enough."""
    log("memory of messages and sessions")
    return {
        ("memory", name, row["protocol"], row["what"]): row["bytes"]
        for name, environment in CONTENDERS.items()
        for row in json.loads(
            run(python_program(pythons[environment], "weights.py", "--contender", name))
        )
    }


def measure_generate(rounds: int) -> Samples:
    """Time `acpgen generate` for all four surfaces and `acpgen check`, each in a new process.

    The processor time shows whether the generator is slow or the machine is busy.
    """
    samples: Samples = defaultdict(list)
    for number in range(rounds):
        log(f"generation, round {number + 1} of {rounds}")
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "acp_bindings"
            before = os.times()
            samples["generate",].append(_time(_acpgen("generate", target)))
            after = os.times()
            samples["generate", "processor"].append(sum(after[2:4]) - sum(before[2:4]))
            for surface in SURFACES:
                if not (target / surface / "codec.py").exists():
                    raise SystemExit(f"acpgen generate wrote no {surface}")
            samples["check",].append(_time(_acpgen("check", target)))
    return samples


def _acpgen(command: str, target: Path) -> list[str]:
    return [sys.executable, "-m", "acpgen", command, "--out", str(target)]


def _time(command: list[str]) -> float:
    start = time.perf_counter()
    run(command)
    return time.perf_counter() - start
