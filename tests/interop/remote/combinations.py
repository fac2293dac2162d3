"""The combinations of client, transport and agent to test, and steps that are expected to fail."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .conversation import STEPS

PYTHON = "1.0.0rc3"
# The environment and the program of each client and agent. The program can be followed by its
# first argument.
CLIENTS = {
    "typescript": ("node", "remote_client.mjs"),
    "python": (PYTHON, "tests.interop.peers.remote_sdk_client 1"),
    "ours": ("ours", "tests.interop.remote.our_client 1"),
    "ours-bridged": ("ours", "tests.interop.remote.our_client 2"),
}
AGENTS = {
    "typescript": ("node", "remote_agent.mjs"),
    "python": (PYTHON, "tests.interop.peers.remote_sdk_agent 1"),
    "ours": ("ours", "tests.interop.remote.our_agent 1"),
    "ours-bridged": ("ours", "tests.interop.remote.our_agent 2"),
}
# The names that each client uses for its transports. Over TLS, our client and the Python SDK's
# client choose HTTP/2 if the server offers it.
TRANSPORTS = {
    "typescript": {"websocket": "websocket", "http1": "http", "http2": "http2"},
    "python": {"websocket": "websocket", "http1": "http1", "http2": "http"},
    "ours": {"websocket": "websocket", "http1": "http", "http2": "http"},
}
IN_THE_CLEAR = ("websocket", "http1")
# The servers that can run each agent. The value is true if the server supports HTTP/2, which tests
# use only over TLS.
SERVERS = {
    "typescript": {"node": False},
    "python": {"hypercorn": True, "uvicorn": False},
    "ours": {"hypercorn": True, "uvicorn": False},
}


@dataclass(frozen=True)
class Combination:
    """A client, a transport and an agent."""

    name: str
    client: tuple[str, str]  # the client's environment and program, as in `CLIENTS`
    agent: tuple[str, str]
    transport: str  # the client's name for the transport
    server: str  # the agent's name for the server
    version: int  # the protocol version of the client
    is_bridged: bool
    tls: bool

    @property
    def has_our_client(self) -> bool:
        return self.client[0] == "ours"

    def options(self, program: tuple[str, str]) -> list[str]:
        """Return a program's final arguments: `--bridge` for our bridged programs."""
        return ["--bridge"] if self.is_bridged and program[1].endswith(" 2") else []

    def failing_steps(self) -> dict[str, str]:
        """Return the reason for each step that is expected to fail, by step."""
        return {
            step: each.reason
            for each in EXCLUSIONS
            for step in each.steps
            if re.fullmatch(each.combinations, self.name)
        }


def combination(
    client: str, agent: str, transport: str, server: str, *, tls: bool = False
) -> Combination:
    return Combination(
        name=f"{client}-to-{agent}-{transport}{'-tls' if tls else ''}-{server}",
        client=CLIENTS[client],
        agent=AGENTS[agent],
        transport=TRANSPORTS[client.removesuffix("-bridged")][transport],
        server=server,
        version=2 if client == "ours-bridged" else 1,
        is_bridged="ours-bridged" in (client, agent),
        tls=tls,
    )


def _combinations() -> list[Combination]:
    """Return the combinations that include one of our programs or pair an SDK with itself."""
    sdks, ours = ("typescript", "python"), ("ours", "ours-bridged")
    pairs = [(client, agent) for client in sdks for agent in ours]
    pairs += [(client, agent) for client in ours for agent in sdks]
    # If an SDK fails even with itself, our library isn't the cause.
    pairs += [(each, each) for each in (*sdks, "ours")]
    found = [
        combination(client, agent, transport, server)
        for client, agent in pairs
        for transport, server in _in_the_clear(client, agent)
    ]
    # Bridged programs aren't tested over HTTP/2, since bridges don't depend on the transport.
    found += [
        combination(client, agent, "http2", server, tls=True)
        for client, agent in pairs
        if "ours-bridged" not in (client, agent)
        for server, has_http2 in SERVERS[agent].items()
        if has_http2
    ]
    # TLS is tested with each server, but only with our client, since TLS doesn't depend on the
    # client.
    found += [
        combination("ours", agent, transport, server, tls=True)
        for agent in ("typescript", "ours")
        for server, has_http2 in SERVERS[agent].items()
        for transport in IN_THE_CLEAR
        if transport == "websocket" or not has_http2
    ]
    return [*found, combination("typescript", "typescript", "http2", "http2", tls=True)]


def _in_the_clear(client: str, agent: str) -> list[tuple[str, str]]:
    """Return the unencrypted transports and the servers to test with a pair of programs.

    Pairs that include one of our programs without a bridge use each transport with each server.
    Other pairs use one server per transport: bridges don't depend on the server, and pairs of SDK
    programs only check the SDKs.
    """
    servers = list(SERVERS[agent.removesuffix("-bridged")])
    if "ours" in (client, agent):
        return [(transport, server) for server in servers for transport in IN_THE_CLEAR]
    return list(zip(IN_THE_CLEAR, (servers[0], servers[-1]), strict=True))


COMBINATIONS = {each.name: each for each in _combinations()}


@dataclass(frozen=True)
class Exclusion:
    """Steps that are expected to fail because of an SDK, with the reason."""

    reason: str
    combinations: str  # a regular expression for the names of combinations
    steps: tuple[str, ...]
    # A combination that fails in the same steps without our library
    alone: str


EXCLUSIONS = [
    Exclusion(
        "The client takes messages of up to 1 MiB, the default of the library that it uses, and has"
        " no parameter for it. The connection ends.",
        "python-to-.*-websocket-.*",
        ("down",),
        "python-to-python-websocket-hypercorn",
    ),
    Exclusion(
        "The HTTP/2 of the client's library stalls while streams are open: a reader that waits for"
        " its stream keeps all others from reading, among them the sender that waits for the window"
        " to open.",
        "python-to-.*-http2-tls-.*",
        ("up",),
        "python-to-python-http2-tls-hypercorn",
    ),
    Exclusion(
        "The adapter for Node.js passes the pseudo-headers of HTTP/2 on as headers, and fails.",
        ".*-to-typescript-http2-tls-http2",
        STEPS,
        "typescript-to-typescript-http2-tls-http2",
    ),
]
