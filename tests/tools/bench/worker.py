"""A benchmark of one contender in the current environment. It prints JSON.

    python worker.py --contender official-0.12.1

Times are in seconds per message, from the fastest of several batches. Before it measures, the
program verifies that each message is decoded correctly and encoded without loss.
"""

from __future__ import annotations

import argparse
import json
import re
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Any

from messages import MESSAGES, Message, follow

# The least work that any writer in Python must do: evaluate an f-string for one particular message
# and call the quoting function, which is written in C, once for each string.
UNCHECKED = "encode, unchecked"
# Fields whose values are constants in the f-string.
TAGS = ("sessionUpdate", "type", "operation", "fileType", "format")


@dataclass(frozen=True)
class Operations:
    names: dict[str, Any]  # the variables that the expressions use
    # An expression for each operation, written in terms of the message's `text` or decoded `value`.
    # Expressions are timed directly, without the cost of a function call.
    expressions: dict[str, str]


def ours(message: Message) -> Operations:
    surface = import_module(f"acp_bindings.{message.protocol}")
    names = {
        "loads": surface.loads,
        "dumps": surface.dumps,
        "T": surface.TYPES[message.type_name],
        "quote": json.encoder.encode_basestring,
    }
    expressions = {
        "decode": "loads(T, text)",
        "encode": "dumps(value)",
        UNCHECKED: f'f"""{unchecked(message.value, "value")}"""',
    }
    return Operations(names, expressions)


def unchecked(value: Any, path: str) -> str:
    """Return the body of an f-string that writes a value without checking its objects."""
    if isinstance(value, dict):
        members = []
        for name, part in value.items():
            attribute = re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name)
            text = json.dumps(part) if name in TAGS else unchecked(part, f"{path}.{attribute}")
            members.append(f"{json.dumps(name)}:{text}")
        return "{{" + ",".join(members) + "}}"
    if isinstance(value, list):
        if len(value) == 1:
            return f"[{unchecked(value[0], f'{path}[0]')}]"
        item = unchecked(value[0], "each")
        return f"[{{','.join([f'''{item}''' for each in {path}])}}]"
    return f"{{quote({path})}}" if isinstance(value, str) else f"{{{path}!r}}"


def ours_orjson(message: Message) -> Operations:
    orjson = import_module("orjson")
    import_module("acp_bindings.runtime").set_json(loads=orjson.loads)
    return ours(message)


def official(message: Message) -> Operations:
    """Return the official SDK's operations, which convert messages via dictionaries."""
    module = "acp.schema" if message.protocol == "v1" else "acp.experimental.v2.schema"
    model = getattr(import_module(module), message.type_name)
    names = {"json": json, "Model": model}
    dumped = "by_alias=True, exclude_none=True"
    return Operations(
        names,
        {
            "decode": "Model.model_validate(json.loads(text))",
            "encode": f"json.dumps(value.model_dump(mode='json', {dumped}))",
        },
    )


def plain(message: Message) -> Operations:
    """Return the operations of the `json` module, which decodes to untyped dictionaries."""
    return Operations(
        {"json": json},
        {"decode": "json.loads(text)", "encode": "json.dumps(value, separators=(',', ':'))"},
    )


@dataclass(frozen=True)
class Contender:
    operations: Callable[[Message], Operations]  # returns the operations for a message
    protocols: tuple[str, ...]  # the protocol versions that it supports
    distributions: tuple[str, ...] = ()  # the distributions whose versions are reported


_OFFICIAL = ("agent-client-protocol", "pydantic")
CONTENDERS = {
    "ours": Contender(ours, ("v1", "v2")),
    "ours-orjson": Contender(ours_orjson, ("v1", "v2"), ("orjson",)),
    "official-0.12.1": Contender(official, ("v1",), _OFFICIAL),
    "official-1.0.0rc3": Contender(official, ("v1", "v2"), _OFFICIAL),
    "json": Contender(plain, ("v1", "v2")),
}


def verify(message: Message, operations: Operations) -> None:
    names = dict(operations.names, text=message.text)
    for name, expression in operations.expressions.items():
        if name.startswith("decode"):
            names["value"] = eval(expression, names)
            found = follow(names["value"], message.probe)
            assert found == message.expected, f"{message.protocol} {message.name}: {name}"
    for name, expression in operations.expressions.items():
        if name.startswith("encode"):
            written = json.loads(eval(expression, names))
            assert written == message.value, f"{message.protocol} {message.name}: {name}"


def time_message(
    message: Message, operations: Operations, batches: int, seconds: float
) -> list[dict[str, Any]]:
    names = dict(operations.names, text=message.text)
    names["value"] = eval(operations.expressions["decode"], names)
    rows: list[dict[str, Any]] = []
    for name, expression in operations.expressions.items():
        # `timeit` disables garbage collection, but real programs run with it.
        timer = timeit.Timer(expression, "import gc; gc.enable()", globals=names)
        once = min(timer.repeat(3, 3)) / 3
        number = max(1, int(seconds / once))
        rows.append(
            {
                "protocol": message.protocol,
                "message": message.name,
                "operation": name,
                "seconds": min(timer.repeat(batches, number)) / number,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure one contender.")
    parser.add_argument("--contender", choices=CONTENDERS, required=True)
    parser.add_argument("--batches", type=int, default=10, help="batches for each operation")
    parser.add_argument("--seconds", type=float, default=0.01, help="duration of a batch")
    options = parser.parse_args()
    contender = CONTENDERS[options.contender]
    rows: list[dict[str, Any]] = []
    for message in MESSAGES:
        if message.protocol not in contender.protocols:
            continue
        operations = contender.operations(message)
        verify(message, operations)
        rows += time_message(message, operations, options.batches, options.seconds)
    versions = {name: metadata.version(name) for name in contender.distributions}
    print(json.dumps({"rows": rows, "versions": versions}))


if __name__ == "__main__":
    main()
