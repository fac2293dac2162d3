"""The pairs of programs that talk to each other over a transport, and what some cannot do."""

from __future__ import annotations

from dataclasses import dataclass

BRIDGED = " --bridge"
OURS = {1: "1", 2: "2"}


@dataclass(frozen=True)
class Combination:
    """A client, a transport and an agent."""

    name: str
    client: tuple[str, str]  # environment and program of the client, with its first argument
    agent: tuple[str, str]
    transport: str  # as the client names it
    server: str  # as the agent names it
    version: int = 1  # the protocol version of the client's report
    tls: bool = False

    @property
    def is_bridged(self) -> bool:
        return BRIDGED in self.client[1] + self.agent[1]


PYTHON = "1.0.0rc3"
CLIENTS = {
    "typescript": ("node", "remote_client.mjs"),
    "python": (PYTHON, "interop.peers.remote_sdk_client 1"),
    "ours": ("ours", "interop.remote.our_client 1"),
    "ours-bridged": ("ours", "interop.remote.our_client 2"),
}
AGENTS = {
    "typescript": ("node", "remote_agent.mjs"),
    "python": (PYTHON, "interop.peers.remote_sdk_agent 1"),
    "ours": ("ours", "interop.remote.our_agent 1"),
    "ours-bridged": ("ours", "interop.remote.our_agent 2"),
}
# (name, transport as the client names it, whether it is over TLS)
CLIENT_TRANSPORTS = {
    "typescript": [
        ("websocket", "websocket", False),
        ("http1", "http", False),
        ("http2", "http2", True),
    ],
    "python": [("websocket", "websocket", False), ("http1", "http1", False), ("http2", "http", True)],
    "ours": [("websocket", "websocket", False), ("http1", "http", False), ("http2", "http", True)],
}
# What each agent runs under; those that speak HTTP/2.
SERVERS = {
    "typescript": ["node"],
    "python": ["hypercorn", "uvicorn"],
    "ours": ["hypercorn", "uvicorn"],
}
SPEAK_HTTP2 = ("hypercorn",)


def _combinations() -> list[Combination]:
    found = []
    for client, program in CLIENTS.items():
        for agent, served in AGENTS.items():
            sdks = {client, agent} & {"typescript", "python"}
            # Between programs of ours, the bridge is the same for all transports.
            if not sdks and "ours-bridged" in (client, agent):
                continue
            its = CLIENT_TRANSPORTS[client.removesuffix("-bridged")]
            for server in SERVERS[agent.removesuffix("-bridged")]:
                for transport, argument, tls in its:
                    if transport == "http2" and server not in SPEAK_HTTP2:
                        continue
                    found.append(
                        Combination(
                            f"{client}-to-{agent}-{transport}-{server}",
                            program,
                            served,
                            argument,
                            server,
                            2 if client == "ours-bridged" else 1,
                            tls,
                        )
                    )
    return found


COMBINATIONS = {combination.name: combination for combination in _combinations()}
