"""A Markdown report of the measurements, which also shows whether each budget is met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.tools.bench.budgets import BUDGETS
from tests.tools.bench.results import (
    AT_ONCE,
    BAD_ITEMS,
    BARE,
    BRIDGED,
    MANY,
    OFFICIAL,
    SDK_IMPORT,
    STATE_AGAINST,
    STATE_FORMS,
    TITLES,
    TRANSPORTS,
    TYPESCRIPT,
    UNBRIDGED,
    UNCHECKED,
    Key,
    Results,
    state_key,
    time_key,
)

NOT_MEASURED = "not measured"


def render(results: Results) -> str:
    parts = [
        "# Benchmark results\n",
        "Written by `make bench`. Only the ratios are comparable between machines.\n",
        _machine(results),
        "## Budgets\n",
        render_budgets(results),
        "## Decode from text\n",
        _times(results, "decode"),
        _ratios(results, "decode"),
        f"{TITLES[TYPESCRIPT]} decodes with `JSON.parse` and its zod schema, as its connection "
        "does for params but not for results. It encodes with `JSON.stringify`, without "
        "validation.\n",
        "## Encode to text\n",
        _times(results, "encode"),
        _ratios(results, "encode"),
        "Each f-string writes a single message: its fields are fixed, nothing is checked, and only "
        "the C function that quotes a string is called.\n",
        _least(results),
        "## Round trips over a pipe\n",
        "A client and an agent in separate processes. A call is one request "
        "(`session/set_mode`), and a turn is a prompt with one update. With one in flight, most of "
        "the time is spent waking up processes. Echoing bytes without parsing them takes "
        f"{_microseconds(results, ('pipe', 'raw'))} µs. The pair \"{BARE}\" uses no library and "
        "checks nothing.\n",
        _pipe(results),
        "## Remote connections\n",
        "The same over WebSocket and HTTP/1.1 on this machine, with uvicorn serving the agent. "
        "Over HTTP, a turn is a POST, its response, and two events.\n",
        _remote(results),
        "Each connection has one session and one turn, and 50 connections are opened at a time. "
        "The client is ours. The memory is the server's.\n",
        _many(results),
        "## The connection alone\n",
        f"Receiving {BAD_ITEMS}, which the schema says to skip: "
        f"{_in_ms(results, BAD_ITEMS)} ms.\n",
        "## The bridge\n",
        f"{BRIDGED}, in memory: {_in_ms(results, BRIDGED)} ms; the same turns without "
        f"a bridge: {_in_ms(results, UNBRIDGED)} ms. A bridge keeps the state of each session "
        "and, for each tool call, the state that the peer received.\n",
        "## Session state\n",
        "All updates are applied to a single state. With JSON text, the time includes decoding. "
        "The SDK's accumulator takes a complete snapshot after each update, so the total time "
        "grows with the square of the number of chunks. The comparison uses as many chunks as the "
        "SDK can handle.\n",
        _states(results),
        "## Import\n",
        "The time of a new interpreter with compiled bytecode, minus the time of an interpreter "
        "without imports.\n",
        _imports(results),
        "## Start of an agent\n",
        "From the start of the process to the response to `initialize`, over stdio.\n",
        _starts(results),
        "## An agent at rest\n",
        "The resident memory of the process after the response to `initialize`, over stdio.\n",
        _rests(results),
        "## Memory of messages and sessions\n",
        "The memory retained after decoding, excluding the text. The updates alternate between "
        "chunks and tool calls.\n",
        _memory(results),
        "## Generation\n",
        _generation(results),
        "## Contenders\n",
        _versions(results),
    ]
    return "\n".join(parts)


def render_budgets(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for budget in BUDGETS:
        measured = results.ratio(budget.ours, budget.theirs)
        unit = "x" if budget.theirs is not None else " s"
        limit = f"≤ {budget.limit:g}{unit}"
        if measured is None:
            rows.append((budget.what, limit, NOT_MEASURED, "-"))
        else:
            verdict = "pass" if measured <= budget.limit else "**fail**"
            rows.append((budget.what, limit, f"{measured:.3g}{unit}", verdict))
    return _table(("what", "budget", "result", "verdict"), rows)


def _machine(results: Results) -> str:
    lines = [f"- date: {results.date}"]
    lines += [f"- {name}: {value}" for name, value in results.machine.items()]
    lines.append(
        f"- {results.rounds} rounds, each of which runs every contender in a new process. Each "
        "result is the median of the best batches of all processes (typical deviation of a round: "
        f"{results.spread:.1%})"
    )
    return "\n".join(lines) + "\n"


def _times(results: Results, operation: str) -> str:
    rows: list[tuple[str, ...]] = []
    for protocol, message in _messages(results):
        cells = {
            c: _microseconds(results, time_key(c, protocol, message, operation)) for c in TITLES
        }
        cells.update(dict.fromkeys(results.missing, NOT_MEASURED))
        rows.append((f"{protocol} {message}", *cells.values()))
    return _table(("µs", *TITLES.values()), rows)


def _ratios(results: Results, operation: str) -> str:
    rows: list[tuple[str, ...]] = []
    for protocol, message in _messages(results):
        keys = {each: time_key(each, protocol, message, operation) for each in TITLES}
        own, fast, sdk = (keys[each] for each in ("ours", "ours-orjson", OFFICIAL[protocol]))
        pairs = ((own, sdk), (fast, sdk), (own, keys["json"]), (own, keys[TYPESCRIPT]))
        rows.append((f"{protocol} {message}", *(_times_as_much(results, *pair) for pair in pairs)))
    header = ("ratio", "ours / SDK", "orjson / SDK", "ours / plain json", "ours / TypeScript")
    of = f"{TITLES[OFFICIAL['v1']]} for v1, {TITLES[OFFICIAL['v2']]} for v2"
    return _table(header, rows) + f"\nSDK: {of}.\n"


def _least(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for protocol, message in _messages(results):
        unchecked = time_key("ours", protocol, message, UNCHECKED)
        sdk, own = (
            time_key(each, protocol, message, "encode") for each in (OFFICIAL[protocol], "ours")
        )
        pairs = ((unchecked, sdk), (own, sdk), (own, unchecked))
        ratios = (_times_as_much(results, *pair) for pair in pairs)
        rows.append((f"{protocol} {message}", _microseconds(results, unchecked), *ratios))
    header = ("f-string, µs", "f-string / SDK", "ours / SDK", "ours / f-string")
    return _table(("encode", *header), rows)


def _milliseconds(results: Results, kind: str, base: str) -> list[tuple[str, ...]]:
    """Return a row for each measurement of this kind, with its ratio to the measurement `base`."""
    return [
        (key[1], f"{value * 1e3:.1f}", _times_as_much(results, key, (kind, base)))
        for key, value in results.values.items()
        if key[0] == kind
    ]


def _imports(results: Results) -> str:
    rows = _milliseconds(results, "import", SDK_IMPORT)
    return _table(("import", "ms", "/ `acp.schema` of SDK 0.12.1"), rows)


def _starts(results: Results) -> str:
    base = TITLES[OFFICIAL["v1"]]
    return _table_or_none(("agent", "ms", f"/ {base}"), _milliseconds(results, "start", base))


def _rests(results: Results) -> str:
    base = TITLES[OFFICIAL["v1"]]
    rows = [
        (key[1], f"{value / 2**20:.1f}", _times_as_much(results, key, ("rest", base)))
        for key, value in results.values.items()
        if key[0] == "rest"
    ]
    return _table_or_none(("agent", "MiB", f"/ {base}"), rows)


def _pipe(results: Results) -> str:
    pairs = _distinct(key[1:2] for key in results.values if key[0] == "pipe" and len(key) > 2)
    rows: list[tuple[str, ...]] = []
    for act in ("call", "turn"):
        for in_flight in ("1", str(AT_ONCE)):
            base = ("pipe", OFFICIAL["v1"], act, in_flight)
            for (pair,) in pairs:
                key: Key = ("pipe", pair, act, in_flight)
                value = results.values.get(key)
                each_second = "-" if value is None else f"{1 / value:,.0f}"
                name = f"{act}, {in_flight} in flight, {TITLES.get(pair, pair)}"
                ratio = _times_as_much(results, key, base)
                rows.append((name, _microseconds(results, key), each_second, ratio))
    return _table(("what", "µs", "per second", f"/ {TITLES[OFFICIAL['v1']]}"), rows)


def _remote(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for act in ("call", "turn"):
        for in_flight in ("1", str(AT_ONCE)):
            for transport in ("stdio", *TRANSPORTS):
                for contender in ("ours", OFFICIAL["v2"]):
                    key: Key = ("remote", transport, contender, act, in_flight)
                    if transport == "stdio" and contender != "ours":
                        continue
                    value = results.values.get(key)
                    rows.append(
                        (
                            f"{act}, {in_flight} in flight, {transport}, {TITLES[contender]}",
                            _microseconds(results, key),
                            "-" if value is None else f"{1 / value:,.0f}",
                            _times_as_much(results, key, ("remote", "stdio", "ours", *key[3:])),
                            _times_as_much(results, key, (*key[:2], OFFICIAL["v2"], *key[3:])),
                        )
                    )
    header = ("what", "µs", "per second", "/ ours over stdio", f"/ {TITLES[OFFICIAL['v2']]}")
    return _table(header, rows)


def _many(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for count in MANY:
        for transport in TRANSPORTS:
            for contender in ("ours", OFFICIAL["v2"]):
                base: Key = ("many", transport, contender)
                size = results.values.get((*base, "bytes", str(count)))
                seconds = results.values.get((*base, "seconds", str(count)))
                rows.append(
                    (
                        f"{count:,} over {transport}, {TITLES[contender]}",
                        "-" if size is None else f"{size / 1024:.0f}",
                        "-" if seconds is None else f"{seconds:.2f}",
                    )
                )
    return _table(("connections", "KiB each", "s until all have answered"), rows)


def _states(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for what, count in STATE_AGAINST.items():
        for form in STATE_FORMS:
            keys = [state_key(each, what, form) for each in ("ours", OFFICIAL["v1"])]
            times = (_microseconds(results, each) for each in keys)
            name = f"v1, {count:,} {what}, {form}"
            rows.append((name, *times, _times_as_much(results, *keys)))
    sdk_title = TITLES[OFFICIAL["v1"]]
    return _table(("µs for one update", "ours", sdk_title, f"ours / {sdk_title}"), rows)


def _memory(results: Results) -> str:
    weighed = [
        name for name in TITLES if any(key[:2] == ("memory", name) for key in results.values)
    ]
    rows: list[tuple[str, ...]] = []
    for protocol, what in _distinct(key[2:4] for key in results.values if key[0] == "memory"):
        keys: dict[str, Key] = {name: ("memory", name, protocol, what) for name in weighed}
        own: Key = ("memory", "ours", protocol, what)
        ratio = _times_as_much(results, own, ("memory", OFFICIAL[protocol], protocol, what))
        sizes = (f"{results.values[k]:,.0f}" if k in results.values else "-" for k in keys.values())
        rows.append((f"{protocol} {what}", *sizes, ratio))
    return _table_or_none(("bytes", *(TITLES[name] for name in weighed), "ours / SDK"), rows)


def _generation(results: Results) -> str:
    keys: tuple[Key, ...] = (("generate",), ("generate", "processor"), ("check",))
    values = [results.values.get(key) for key in keys]
    if None in values:
        return f"{NOT_MEASURED.capitalize()}.\n"
    wall, used, check = values
    return (
        f"`acpgen generate` of all four surfaces in a new process: {wall:.1f} s "
        f"({used:.1f} s of processor time). "
        f"`acpgen check` of the unchanged package: {check:.2f} s.\n"
    )


def _versions(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for contender, versions in results.versions.items():
        of = ", ".join(f"{name} {version}" for name, version in versions.items())
        rows.append((TITLES[contender], of or "standard library only"))
    rows += [(TITLES[contender], NOT_MEASURED) for contender in sorted(results.missing)]
    return _table(("contender", "versions"), rows)


def _messages(results: Results) -> list[Key]:
    return _distinct(key[2:4] for key in results.values if key[0] == "time")


def _distinct(keys: Iterable[Key]) -> list[Key]:
    """Return each key once, in order of first appearance."""
    return list(dict.fromkeys(keys))


def _in_ms(results: Results, what: str) -> str:
    value = results.values.get(("connection", what))
    return "-" if value is None else f"{value * 1e3:.1f}"


def _microseconds(results: Results, key: Key) -> str:
    value = results.values.get(key)
    return "-" if value is None else f"{value * 1e6:.4g}"


def _times_as_much(results: Results, ours: Key, theirs: Key) -> str:
    ratio = results.ratio(ours, theirs)
    return "-" if ratio is None else f"{ratio:.3g}x"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ("---", *("---:" for _ in header[1:])), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _table_or_none(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return _table(header, rows) if rows else f"{NOT_MEASURED.capitalize()}.\n"
