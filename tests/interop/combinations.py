"""The combinations of client and agent programs to test, and their expected failures."""

from __future__ import annotations

from dataclasses import dataclass

# Maps each SDK to the protocol version, the environment, and a template for the program and its
# argument.
SDKS = {
    "typescript-v1": (1, "node", "{}.mjs 1"),
    "typescript-v2": (2, "node", "{}.mjs 2"),
    "python-0.12.1-v1": (1, "0.12.1", "tests.interop.peers.sdk_{} 1"),
    "python-1.0.0rc3-v1": (1, "1.0.0rc3", "tests.interop.peers.sdk_{} 1"),
    "python-1.0.0rc3-v2": (2, "1.0.0rc3", "tests.interop.peers.sdk_{} 2"),
    # With our library on both sides, failures are unrelated to the SDKs.
    "ours-v1": (1, "ours", "tests.interop.ours_{} 1"),
    "ours-v2": (2, "ours", "tests.interop.ours_{} 2"),
}
OUR_AGENT = ("ours", "tests.interop.ours_agent")
# The option that makes our protocol 2 programs bridge to protocol 1 peers.
BRIDGED = " --bridge"
# Environments that aren't tested with a bridge, since 1.0.0rc3 sends the same messages as 0.12.1
# and other tests cover our own programs.
UNBRIDGED = ("0.12.1", "ours")


@dataclass(frozen=True)
class Combination:
    """A client and an agent. At least one of them uses our library."""

    name: str
    version: int  # the protocol version of the client
    client: tuple[str, str]  # the client's environment and program
    agent: tuple[str, str]  # the agent's environment and program

    @property
    def has_our_client(self) -> bool:
        return self.client[0] == "ours"

    @property
    def is_bridged(self) -> bool:
        return BRIDGED in self.client[1] + self.agent[1]

    @property
    def wire(self) -> int:
        """The protocol version of the messages between the two programs."""
        return 1 if self.is_bridged else self.version


def _combinations() -> list[Combination]:
    found = []
    for sdk, (version, environment, program) in SDKS.items():
        theirs = (environment, program.format("client"))
        found.append(Combination(f"{sdk}-client", version, theirs, OUR_AGENT))
        if environment != "ours":
            ours = ("ours", f"tests.interop.ours_client {version}")
            agent = (environment, program.format("agent"))
            found.append(Combination(f"{sdk}-agent", version, ours, agent))
        if version == 1 and environment not in UNBRIDGED:
            bridged = (OUR_AGENT[0], OUR_AGENT[1] + BRIDGED)
            found.append(Combination(f"{sdk}-client-bridged", 1, theirs, bridged))
            agent = (environment, program.format("agent"))
            ours = ("ours", f"tests.interop.ours_client 2{BRIDGED}")
            found.append(Combination(f"{sdk}-agent-bridged", 2, ours, agent))
    return found


COMBINATIONS = {combination.name: combination for combination in _combinations()}

# agent-client-protocol 0.12.1 doesn't support `$/cancel_request`. It handles the message as an
# unknown notification and doesn't send it when a task is cancelled. A permission request that our
# agent withdraws stays open until the connection closes. The following tests are therefore expected
# to fail.
_AGENT, _CLIENT = "python-0.12.1-v1-agent", "python-0.12.1-v1-client"
# The tests that are expected to fail, each with its combination.
EXCLUSIONS = {
    (_AGENT, "test_cancelled_request_of_the_client"),
    (_AGENT, "test_cancelled_request_of_the_agent"),
    (_CLIENT, "test_cancelled_request_of_the_client"),
    (_CLIENT, "test_cancelled_request_of_the_agent"),
    (_CLIENT, "test_each_request_has_one_answer"),
}
