"""Envelopes of a schema: the definitions that only describe the framing of messages.

Names cannot identify envelopes, since they differ between revisions. `x-docs-ignore` cannot
identify envelopes either, since it also marks plain types. A definition is an envelope if all of
the following are true:

- It is a JSON-RPC message (an object with `params`, `result` or `error`), a union of such messages,
  or a union of references to params or results.
- Only the document itself and other envelopes refer to it.
- It has `x-docs-ignore`, or it refers to definitions with `x-method`, directly or through
  envelopes.
"""

from __future__ import annotations

from acpgen.schema.nodes import Definitions, Node

_MESSAGE = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_CONTENT = frozenset({"params", "result", "error"})


def find_envelopes(definitions: Definitions) -> frozenset[str]:
    """Return the names of the definitions that are envelopes."""
    candidates = {
        name
        for name, node in definitions.items()
        if node.method is None and (_is_message(node) or is_list(node))
    }
    uses = {name: set(node.references()) for name, node in definitions.items()}
    while True:
        used = {target for name in uses.keys() - candidates for target in uses[name]}
        if not candidates & used:
            break
        candidates -= used
    return frozenset(
        name
        for name in candidates
        if definitions[name].stated.get("x-docs-ignore")
        or _leads_to_method(name, definitions, candidates)
    )


def _is_message(node: Node) -> bool:
    """Return whether a schema is a JSON-RPC message, or a union of such messages."""
    names = node.properties.keys()
    if not names <= _MESSAGE or not (names or node.arms):
        return False
    return bool(names & _CONTENT) or (bool(node.arms) and all(map(_is_message, node.arms)))


def is_list(node: Node) -> bool:
    """Return whether a schema is a union of references, ignoring variants without fields."""
    if node.properties:
        return False
    inline = [arm for arm in node.arms if arm.target is None]
    return len(inline) < len(node.arms) and all(
        is_list(arm) or not arm.assertions.keys() - {"type"} for arm in inline
    )


def _leads_to_method(name: str, definitions: Definitions, envelopes: set[str]) -> bool:
    pending, reached = [name], {name}
    while pending:
        for target in definitions[pending.pop()].references():
            if definitions[target].method is not None:
                return True
            if target in envelopes and target not in reached:
                reached.add(target)
                pending.append(target)
    return False
