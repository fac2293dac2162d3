"""Turn measurements into a page of Markdown, with the budgets and whether they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

# The keys of measurements, from the general to the particular:
# ("time", contender, protocol, message, operation), ("memory", contender, protocol),
# ("import", what), ("generate",), ("generate", "processor"), ("check",), ("connection", what),
# ("pipe", client and agent, "call" or "turn", how many in flight), ("pipe", "raw"),
# ("state", contender, protocol, kind of updates, form, how many).
Key: TypeAlias = tuple[str, ...]

CHUNK = "text chunk"
TOOL_CALL = "tool call with a diff"
SESSIONS = "200 sessions"
AT_ONCE = 50

STATE_CHUNKS = "chunks of one message"
STATE_CALLS = "updates of 100 tool calls"
STATE_FORMS = ("decoded", "JSON text")
# The number of updates of each kind to compare. The SDK's time for chunks grows with the square of
# their number: 100,000 would take it hours.
STATE_AGAINST = {STATE_CHUNKS: 2_000, STATE_CALLS: 10_000}
# And the numbers that show how the time of our states grows.
STATE_SIZES = (1_000, 10_000, 100_000)

# The official SDK for each protocol: the release, and the release candidate.
OFFICIAL = {"v1": "official-0.12.1", "v2": "official-1.0.0rc3"}
TITLES = {
    "ours": "ours",
    "ours-orjson": "ours, orjson",
    "official-0.12.1": "SDK 0.12.1",
    "official-1.0.0rc3": "SDK 1.0.0rc3",
    "msgspec": "msgspec structs",
    "json": "plain json",
}


@dataclass(frozen=True)
class Results:
    """The results of one run.

    Attributes:
        date: the day, ISO 8601.
        machine: facts about the machine, by name.
        versions: by contender, the versions of its distributions.
        values: seconds or bytes, by what was measured.
        spread: the typical distance of a round from the best one, as a fraction of it.
        rounds: how many there were.
    """

    date: str
    machine: Mapping[str, str]
    versions: Mapping[str, Mapping[str, str]]
    values: Mapping[Key, float]
    spread: float = 0.0
    rounds: int = 1

    def ratio(self, ours: Key, theirs: Key | None) -> float | None:
        """One value divided by another; None if either was not measured.

        Args:
            theirs: the divisor; None for 1.
        """
        if ours not in self.values or (theirs is not None and theirs not in self.values):
            return None
        return self.values[ours] / (self.values[theirs] if theirs is not None else 1.0)


@dataclass(frozen=True)
class Budget:
    """A limit for one measurement.

    Attributes:
        what: its description, for readers.
        ours: the measurement.
        theirs: what it is divided by; None for a number of seconds.
        limit: the highest value within the budget.
    """

    what: str
    ours: Key
    theirs: Key | None
    limit: float


def _time(contender: str, protocol: str, message: str, operation: str) -> Key:
    return ("time", contender, protocol, message, operation)


def _decode_budget(contender: str, protocol: str, limit: float) -> Budget:
    return Budget(
        f"decode a {CHUNK}, {protocol}: {TITLES[contender]} / {TITLES[OFFICIAL[protocol]]}",
        _time(contender, protocol, CHUNK, "decode"),
        _time(OFFICIAL[protocol], protocol, CHUNK, "decode"),
        limit,
    )


def _encode_budget(protocol: str, message: str) -> Budget:
    return Budget(
        f"encode {message}, {protocol}: ours / {TITLES[OFFICIAL[protocol]]}",
        _time("ours", protocol, message, "encode"),
        _time(OFFICIAL[protocol], protocol, message, "encode"),
        0.5,
    )


def _protocol_budget(message: str) -> Budget:
    return Budget(
        f"decode {message}, ours: v2 / v1",
        _time("ours", "v2", message, "decode"),
        _time("ours", "v1", message, "decode"),
        1.25,
    )


def _import_budget(surface: str) -> Budget:
    return Budget(
        f"import `acp_bindings.{surface}` / `acp.schema` of {TITLES[OFFICIAL['v1']]}",
        ("import", f"acp_bindings.{surface}"),
        ("import", "acp.schema, SDK 0.12.1"),
        0.2,
    )


def _pipe_budget(act: str, in_flight: int) -> Budget:
    how = "one after another" if in_flight == 1 else f"{in_flight} at once"
    return Budget(
        f"a {act} over a pipe, {how}: ours / {TITLES[OFFICIAL['v1']]}",
        ("pipe", "ours", act, str(in_flight)),
        ("pipe", OFFICIAL["v1"], act, str(in_flight)),
        0.5,
    )


def _state_budget(what: str, form: str) -> Budget:
    return Budget(
        f"apply {STATE_AGAINST[what]:,} {what}, {form}, v1: ours / {TITLES[OFFICIAL['v1']]}",
        _state_key("ours", what, form),
        _state_key(OFFICIAL["v1"], what, form),
        0.2,
    )


def _state_key(contender: str, what: str, form: str) -> Key:
    return ("state", contender, "v1", what, form, str(STATE_AGAINST[what]))


BUDGETS = (
    _decode_budget("ours", "v1", 0.75),
    _decode_budget("ours-orjson", "v1", 0.4),
    _decode_budget("ours", "v2", 0.1),
    *(
        _encode_budget(protocol, message)
        for protocol in ("v1", "v2")
        for message in (CHUNK, TOOL_CALL, SESSIONS)
    ),
    # Only these two have the same JSON on both protocols.
    _protocol_budget(CHUNK),
    _protocol_budget(SESSIONS),
    _import_budget("v1"),
    _import_budget("v2"),
    *(_pipe_budget(act, in_flight) for in_flight in (AT_ONCE, 1) for act in ("turn", "call")),
    *(_state_budget(what, form) for what in STATE_AGAINST for form in STATE_FORMS),
    Budget("`acpgen generate`, four surfaces, cold", ("generate",), None, 8.0),
    Budget("`acpgen check`, unchanged", ("check",), None, 1.0),
)


def render(results: Results) -> str:
    """The whole page."""
    parts = [
        "# Benchmark results\n",
        "Written by `make bench`. Only the ratios travel from one machine to another.\n",
        _machine(results),
        "## Budgets\n",
        render_budgets(results),
        "## Decode from text\n",
        _times(results, "decode"),
        _ratios(results, "decode"),
        "## Encode to text\n",
        _times(results, "encode"),
        _ratios(results, "encode"),
        "## The SDK's models with pydantic's own JSON\n",
        "The SDK itself goes by way of Python objects, as above. "
        "`model_validate_json` and `model_dump_json` are what its models could do.\n",
        _pydantic(results),
        "## Round trips over a pipe\n",
        "A client and an agent, each in a process of its own. A call is one request "
        "(`session/set_mode`), a turn is a prompt with one update. One after another, most of the "
        "time goes into waking up processes: echoing bytes without parsing them takes "
        f"{_microseconds(results, ('pipe', 'raw'))} µs.\n",
        _pipe(results),
        "## The connection alone\n",
        "Bytes to events and back, without input or output.\n",
        _connection(results),
        "## Session state\n",
        "Updates are applied to one state; medians of rounds in turn. From JSON text, decoding "
        "counts too. The SDK's accumulator makes a snapshot of everything for each update, so its "
        "time for chunks grows with the square of their number: they are compared at a number "
        "that it can still do.\n",
        _states(results),
        "How the time for one update grows with the number of updates, ours, decoded beforehand:\n",
        _state_growth(results),
        "## Import\n",
        "A fresh interpreter with compiled bytecode, less an empty one.\n",
        _imports(results),
        "## Memory of a decoded text chunk\n",
        _memory(results),
        "## Memory of connections and sessions\n",
        "What a client allocates, at the highest point. A message is a chunk of text.\n",
        _kept(results),
        "## Generation\n",
        _generation(results),
        "## Contenders\n",
        _versions(results),
    ]
    return "\n".join(parts)


def render_budgets(results: Results) -> str:
    """The table of budgets, with the measured values."""
    rows: list[tuple[str, ...]] = []
    for budget in BUDGETS:
        measured = results.ratio(budget.ours, budget.theirs)
        unit = "x" if budget.theirs is not None else " s"
        if measured is None:
            rows.append((budget.what, f"≤ {budget.limit:g}{unit}", "not measured", "-"))
            continue
        met = "yes" if measured <= budget.limit else "**no**"
        rows.append((budget.what, f"≤ {budget.limit:g}{unit}", f"{measured:.3g}{unit}", met))
    return _table(("what", "budget", "measured", "met"), rows)


def _machine(results: Results) -> str:
    lines = [f"- date: {results.date}"]
    lines += [f"- {name}: {value}" for name, value in results.machine.items()]
    lines.append(
        f"- {results.rounds} rounds, contenders in turn; the best of a contender counts "
        f"(its rounds are typically {results.spread:.0%} above it)"
    )
    return "\n".join(lines) + "\n"


def _times(results: Results, operation: str) -> str:
    rows: list[tuple[str, ...]] = []
    for protocol, message in _messages(results):
        keys = [_time(contender, protocol, message, operation) for contender in TITLES]
        rows.append((f"{protocol} {message}", *(_microseconds(results, key) for key in keys)))
    return _table(("µs", *TITLES.values()), rows)


def _ratios(results: Results, operation: str) -> str:
    rows: list[tuple[str, ...]] = []
    for protocol, message in _messages(results):
        own = _time("ours", protocol, message, operation)
        fast = _time("ours-orjson", protocol, message, operation)
        sdk = _time(OFFICIAL[protocol], protocol, message, operation)
        pairs = (
            (own, sdk),
            (fast, sdk),
            (own, _time("msgspec", protocol, message, operation)),
            (fast, _time("msgspec", protocol, message, operation)),
            (own, _time("json", protocol, message, operation)),
        )
        rows.append((f"{protocol} {message}", *(_times_as_much(results, *pair) for pair in pairs)))
    header = (
        "ratio",
        "ours / SDK",
        "orjson / SDK",
        "ours / msgspec",
        "orjson / msgspec",
        "ours / plain json",
    )
    of = f"{TITLES[OFFICIAL['v1']]} for v1, {TITLES[OFFICIAL['v2']]} for v2"
    return _table(header, rows) + f"\nSDK: {of}.\n"


def _pydantic(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for protocol, message in _messages(results):
        for operation in ("decode", "encode"):
            alone = _time(OFFICIAL[protocol], protocol, message, f"{operation}, pydantic alone")
            own = _time("ours", protocol, message, operation)
            fast = _time("ours-orjson", protocol, message, operation)
            rows.append(
                (
                    f"{operation} {protocol} {message}",
                    _microseconds(results, alone),
                    _times_as_much(results, own, alone),
                    _times_as_much(results, fast, alone),
                )
            )
    return _table(("what", "µs", "ours / this", "orjson / this"), rows)


def _imports(results: Results) -> str:
    base = ("import", "acp.schema, SDK 0.12.1")
    rows = [
        (key[1], f"{value * 1e3:.1f}", _times_as_much(results, key, base))
        for key, value in results.values.items()
        if key[0] == "import"
    ]
    return _table(("import", "ms", "/ `acp.schema` of SDK 0.12.1"), rows)


def _pipe(results: Results) -> str:
    pairs = {key[1]: None for key in results.values if key[0] == "pipe" and len(key) > 2}
    rows: list[tuple[str, ...]] = []
    for act in ("call", "turn"):
        for in_flight in ("1", str(AT_ONCE)):
            base = ("pipe", OFFICIAL["v1"], act, in_flight)
            for pair in pairs:
                key: Key = ("pipe", pair, act, in_flight)
                value = results.values.get(key)
                rows.append(
                    (
                        f"{act}, {in_flight} in flight, {TITLES.get(pair, pair)}",
                        _microseconds(results, key),
                        "-" if value is None else f"{1 / value:,.0f}",
                        _times_as_much(results, key, base),
                    )
                )
    return _table(("what", "µs", "per second", f"/ {TITLES[OFFICIAL['v1']]}"), rows)


def _connection(results: Results) -> str:
    rows = [
        (key[1], f"{value * 1e6:.4g}", f"{1 / value:,.0f}")
        for key, value in results.values.items()
        if key[0] == "connection"
    ]
    return _table(("what", "µs", "per second"), rows)


def _states(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for what, count in STATE_AGAINST.items():
        for form in STATE_FORMS:
            own, sdk = (_state_key(each, what, form) for each in ("ours", OFFICIAL["v1"]))
            rows.append(
                (
                    f"v1, {count:,} {what}, {form}",
                    _microseconds(results, own),
                    _microseconds(results, sdk),
                    _times_as_much(results, own, sdk),
                )
            )
    sdk_title = TITLES[OFFICIAL["v1"]]
    return _table(("µs for one update", "ours", sdk_title, f"ours / {sdk_title}"), rows)


def _state_growth(results: Results) -> str:
    kinds = {key[2:4]: None for key in results.values if key[:2] == ("state", "ours")}
    first, *more = STATE_SIZES
    rows: list[tuple[str, ...]] = []
    for protocol, what in kinds:
        keys: list[Key] = [
            ("state", "ours", protocol, what, "decoded", str(size)) for size in STATE_SIZES
        ]
        rows.append(
            (
                f"{protocol}, {what}",
                *(_microseconds(results, key) for key in keys),
                *(_times_as_much(results, key, keys[0]) for key in keys[1:]),
            )
        )
    ratios = (f"{size:,} / {first:,}" for size in more)
    return _table(("µs for one update", *(f"{size:,}" for size in STATE_SIZES), *ratios), rows)


def _memory(results: Results) -> str:
    rows = [
        (f"{TITLES[key[1]]}, {key[2]}", f"{value:.0f}")
        for key, value in results.values.items()
        if key[0] == "memory"
    ]
    return _table(("contender", "bytes"), rows) if rows else "Not measured.\n"


def _kept(results: Results) -> str:
    rows = [
        (key[1], f"{value / 1e6:.1f}") for key, value in results.values.items() if key[0] == "kept"
    ]
    return _table(("what", "MB"), rows) if rows else "Not measured.\n"


def _generation(results: Results) -> str:
    keys: tuple[Key, ...] = (("generate",), ("generate", "processor"), ("check",))
    values = [results.values.get(key) for key in keys]
    if None in values:
        return "Not measured.\n"
    wall, used, check = values
    return (
        f"`acpgen generate` of all four surfaces in a new process: {wall:.1f} s, "
        f"in which it used {used:.1f} s of processor time. "
        f"`acpgen check` of the unchanged package: {check:.2f} s.\n"
    )


def _versions(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for contender, versions in results.versions.items():
        of = ", ".join(f"{name} {version}" for name, version in versions.items())
        rows.append((TITLES[contender], of or "standard library only"))
    return _table(("contender", "versions"), rows)


def _messages(results: Results) -> list[tuple[str, str]]:
    found = {(key[2], key[3]): None for key in results.values if key[0] == "time"}
    return list(found)


def _microseconds(results: Results, key: Key) -> str:
    value = results.values.get(key)
    return "-" if value is None else f"{value * 1e6:.4g}"


def _times_as_much(results: Results, ours: Key, theirs: Key) -> str:
    ratio = results.ratio(ours, theirs)
    return "-" if ratio is None else f"{ratio:.3g}x"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ("---", *("---:" for _ in header[1:])), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
