"""A copy of the project with schemas and overlay entries for a fictional protocol 3.

Protocol 3 differs from protocol 2 in a renamed method and definition, a removed method, a new
method with a capability, a new notification, a new kind of message with chunks, new variants and
constants, and a field that becomes required. As in protocol 1, the response to a prompt ends the
turn.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias

from tests.support.paths import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Json: TypeAlias = Any

BASE, NEXT = "v2", "v3"
STABILITIES = ("", "_unstable")
# The parts of the project to copy. The package is generated in the copy.
PARTS = ("generator", "schema", "templates", "tests", "pyproject.toml", "README.md", "CHANGELOG.md")
RENAMED = {
    "session/set_config_option": "session/configure",
    "SetSessionConfigOptionRequest": "ConfigureSessionRequest",
    "SetSessionConfigOptionResponse": "ConfigureSessionResponse",
    "Cost": "Price",
}
REMOVED = ("DeleteSessionRequest", "DeleteSessionResponse", "SessionDeleteCapabilities")
META = {
    "type": ["object", "null"],
    "x-deserialize-default-on-error": True,
    "additionalProperties": True,
}
# Requirements that don't apply to protocol 3, since they are about the removed method or about
# updates that end turns.
NOT_DEMANDED = (
    *("delete-session", "delete-unknown", "user-message", "running", "idle", "resume-state"),
    *("requires-action", "resumes-running"),
)
STOP_REASONS = ("end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "paused")


def make_project(folder: Path) -> Path:
    """Copy the project to a folder, and add protocol 3 to the schema and the overlay."""
    ignored = shutil.ignore_patterns("__pycache__", ".*_cache", "node_modules")
    for part in PARTS:
        source, target = ROOT / part, folder / part
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignored)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    _add_schemas(folder / "schema")
    _add_decisions(folder / "schema" / "overlay")
    return folder


def forget_entries(folder: Path) -> list[tuple[str, str]]:
    """Remove entries about protocol 3 that are required only because protocol 2 has them.

    Returns:
        The location of one removed entry of each kind: the file and the pointer.
    """

    def edit(name: str, change: Callable[[Json], object]) -> None:
        path = folder / "schema" / "overlay" / name
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        change(table)
        path.write_text("\n".join(_toml(table)) + "\n", encoding="utf-8")

    edit("updates.toml", lambda table: table["implied_updates"].pop(NEXT))
    edit("capabilities.toml", lambda table: table[NEXT]["agent"].pop("session/prompt#prompt/audio"))
    edit("policy.toml", lambda table: table["ends_updates"].pop(NEXT))
    edit("policy.toml", lambda table: table["batches"].pop(NEXT))
    edit("pages.toml", lambda table: table.pop(NEXT))
    edit(
        "requirements.toml",
        lambda table: table["agent"]["messages"]["json-lines"]["pages"].pop(NEXT),
    )
    edit("summaries.toml", lambda table: table["members"]["ContentChunk"].pop(NEXT))
    edit("kit.toml", lambda table: table[NEXT]["saved"]["methods"].pop("session/new"))
    edit("kit.toml", lambda table: table[NEXT].pop("tool"))
    return [
        ("updates.toml", "/implied_updates/v3/session~1new/config_option_update"),
        ("capabilities.toml", "/v3/agent/session~1prompt#prompt~1audio"),
        ("policy.toml", "/ends_updates/v3/session~1prompt"),
        ("policy.toml", "/batches/v3"),
        ("pages.toml", "/v3/session~1new"),
        ("requirements.toml", "/agent/messages/json-lines/pages/v3"),
        ("summaries.toml", "/members/ContentChunk/v3/messageId"),
        ("kit.toml", "/v3/saved/methods/session~1new"),
        ("kit.toml", "/v3/tool"),
    ]


def run(project: Path, *command: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run Python in a project's folder, with the project's generator and package."""
    modules = (project / "generator", project / "generated")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, modules))}
    return subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


def acpgen(project: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return run(project, "-m", "acpgen", *arguments, **options)


def unformatted(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a generator command without formatting the modules, to halve the run time."""
    return run(project, "-c", _UNFORMATTED, *arguments)


_UNFORMATTED = """
from acpgen.__main__ import main
from acpgen.commands import generation
from acpgen.commands.parallel import InPlace
from acpgen.emit import package
package.format_module = str
generation.processes = lambda *given: InPlace()
main()
"""


# --- the schema ------------------------------------------------------------------------------


def _add_schemas(folder: Path) -> None:
    (folder / NEXT).mkdir()
    for name in ("schema.json", "schema.unstable.json"):
        text = (folder / BASE / name).read_text(encoding="utf-8")
        for old, new in RENAMED.items():
            text = text.replace(f'"{old}"', f'"{new}"').replace(f'/{old}"', f'/{new}"')
        root = json.loads(text)
        _edit(root["$defs"])
        target = folder / NEXT / name
        target.write_text(json.dumps(root, indent=2) + "\n", encoding="utf-8")


def _edit(definitions: Json) -> None:
    for name in REMOVED:
        del definitions[name]
    session = definitions["SessionCapabilities"]["properties"]
    del session["delete"]
    # A method with a capability.
    session["pin"] = _nullable("SessionPinCapabilities")
    definitions["SessionPinCapabilities"] = _record({})
    of_session = {"sessionId": _ref("SessionId")}
    pin = {"x-side": "agent", "x-method": "session/pin"}
    definitions["PinSessionRequest"] = {**_record(of_session), **pin}
    definitions["PinSessionResponse"] = {**_record({}), **pin}
    # A notification.
    stepped = {"x-side": "agent", "x-method": "session/step_aside"}
    definitions["StepAsideNotification"] = {**_record(of_session), **stepped}
    # A new kind of message with chunks.
    definitions["AgentSummary"] = deepcopy(definitions["AgentThought"])
    # Variants and constants.
    row = {"type": "array", "items": {"type": "string"}}
    definitions["TableContent"] = _record({"rows": {"type": "array", "items": row}})
    _add_variant(definitions["ContentBlock"], "type", "table", "TableContent")
    _add_variant(definitions["SessionUpdate"], "sessionUpdate", "agent_summary", "AgentSummary")
    _add_variant(
        definitions["SessionUpdate"], "sessionUpdate", "agent_summary_chunk", "ContentChunk"
    )
    definitions["ToolKind"]["anyOf"].insert(0, {"type": "string", "const": "review"})
    # A field that becomes required.
    link = definitions["ResourceLink"]
    link["properties"]["mimeType"] = _ref("MediaType")
    link["required"].append("mimeType")
    # The response to a prompt ends the turn.
    reasons = [{"type": "string", "const": reason} for reason in STOP_REASONS]
    definitions["StopReason"] = {"anyOf": [*reasons, {"title": "unknown", "type": "string"}]}
    prompt = {"x-side": "agent", "x-method": "session/prompt"}
    definitions["PromptResponse"] = {**_record({"stopReason": _ref("StopReason")}), **prompt}
    _add_to_envelopes(definitions)


def _add_to_envelopes(definitions: Json) -> None:
    for envelope, added in (
        ("ClientRequest", "PinSessionRequest"),
        ("AgentResponse", "PinSessionResponse"),
        ("ClientNotification", "StepAsideNotification"),
    ):
        for listed in _lists(definitions[envelope]):
            listed.insert(0, {"title": added, "allOf": [{"$ref": f"#/$defs/{added}"}]})
    for name in REMOVED:
        for envelope in ("ClientRequest", "AgentResponse"):
            for listed in _lists(definitions[envelope]):
                listed[:] = [each for each in listed if each.get("title") != name]


def _lists(node: Json) -> Iterator[list[Json]]:
    """Yield the lists of references to params or results in an envelope."""
    if isinstance(node, dict):
        listed = node.get("anyOf", [])
        if any(each.get("title", "").endswith(_LISTED) for each in listed):
            yield listed
            return
    for inner in (
        node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    ):
        yield from _lists(inner)


_LISTED = ("Request", "Response", "Notification")


def _add_variant(union: Json, tag: str, value: str, definition: str) -> None:
    const = {
        "type": "object",
        "properties": {tag: {"type": "string", "const": value}},
        "required": [tag],
    }
    arms = union["anyOf"]
    for arm in arms:
        if "not" in arm:
            arm["not"]["anyOf"].append(const)
    arms.insert(0, {**const, "allOf": [{"$ref": f"#/$defs/{definition}"}]})


def _record(required: Json) -> Json:
    record = {"type": "object", "properties": {**required, "_meta": META}}
    return {**record, "required": list(required)} if required else record


def _ref(name: str) -> Json:
    return {"allOf": [{"$ref": f"#/$defs/{name}"}]}


def _nullable(name: str) -> Json:
    arms = [{"$ref": f"#/$defs/{name}"}, {"type": "null"}]
    return {"anyOf": arms, "x-deserialize-default-on-error": True}


# --- the overlay -----------------------------------------------------------------------------


def _add_decisions(folder: Path) -> None:
    for name, add in _DECISIONS.items():
        path = folder / name
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        add(table)
        path.write_text("\n".join(_toml(table)) + "\n", encoding="utf-8")


def _renamed(table: Json) -> Json:
    """Return an overlay table with the new names of methods and definitions."""
    text = json.dumps(table)
    for old, new in RENAMED.items():
        text = text.replace(f'"{old}', f'"{new}')
    result: Json = json.loads(text)
    return result


def _add_capabilities(table: Json) -> None:
    for stability in STABILITIES:
        table[NEXT + stability] = _renamed(table[BASE + stability])
    agent = table[NEXT]["agent"]
    del agent["session/delete"]
    agent["session/pin"] = "/capabilities/session/pin"
    agent["session/step_aside"] = "/capabilities/session"


def _add_updates(table: Json) -> None:
    for place in (table, table["implied_updates"]):
        for stability in STABILITIES:
            place[NEXT + stability] = _renamed(place[BASE + stability])
    table[NEXT]["agent_summary"] = {"op": "patch_message", "role": "summary"}
    table[NEXT]["agent_summary_chunk"] = {
        "op": "append_to_message",
        "role": "summary",
        "sender": "summarize",
    }


def _add_pages(table: Json) -> None:
    table[NEXT] = _renamed(table[BASE])


def _add_policy(table: Json) -> None:
    table["batches"][NEXT] = "none"
    table["ends_updates"][NEXT] = {
        **table["ends_updates"][BASE],
        "session/prompt": "The updates before the response belong to the turn.",
    }


def _add_summaries(table: Json) -> None:
    types, members = table["types"], table["members"]
    for old, new in RENAMED.items():
        if old in types:
            types[new] = types[old]
        if old in members:
            members[new] = members[old]
    for prefix in ("Boolean", "Id", "Unknown"):
        old, new = (
            f"{prefix}{name}Request" for name in ("SetSessionConfigOption", "ConfigureSession")
        )
        for section in ("classes", "members"):
            if old in table[section]:
                table[section][new] = table[section][old]
    methods = table["methods"]
    methods["session/configure"] = methods["session/set_config_option"]
    methods["session/pin"] = "Ask the agent to keep a session at the top of its list."
    methods["session/step_aside"] = "Tell the agent that the user works on something else."
    types |= {
        "AgentSummary": "A whole summary of the agent's work.",
        "PinSessionRequest": "The session to keep at the top.",
        "PinSessionResponse": "Confirmation that the session stays at the top.",
        "SessionPinCapabilities": "Support for keeping sessions at the top.",
        "StepAsideNotification": "The session that the user leaves alone for now.",
        "TableContent": "A table of texts.",
    }
    table["classes"]["AgentSummaryChunk"] = "A piece of a summary."
    members["AgentSummary"] = deepcopy(members["AgentThought"])
    members["SessionCapabilities"]["pin"] = "Support for session/pin; absent or null means none."
    members["TableContent"] = {"rows": "The rows, each with its cells."}
    for versions in members.values():
        if BASE in versions:
            versions[NEXT] = deepcopy(versions[BASE])
    table["values"]["ToolKind"]["review"] = "Looking over work that was done."
    table["values"]["StopReason"]["paused"] = "The agent waits for a later prompt."


def _add_requirements(table: Json) -> None:
    for side in ("agent", "client"):
        untested = table["untested"].setdefault(side, {})
        untested[NEXT] = {
            **_renamed(untested[BASE]),
            "session/pin": "what it changes is nowhere to be seen",
            "session/step_aside": "what it changes is nowhere to be seen",
        }
        for demands in table[side].values():
            for demand in demands.values():
                for part in ("pages", "capabilities", "members"):
                    if BASE in demand.get(part, {}):
                        demand[part][NEXT] = _renamed(demand[part][BASE])
                methods = demand.get("methods", [])
                methods += [RENAMED[method] for method in methods if method in RENAMED]
            for name in set(demands) & set(NOT_DEMANDED):
                demands[name].get("capabilities", {}).pop(NEXT, None)
                if BASE in demands[name]["pages"]:
                    demands[name]["pages"][NEXT] = "none"


def _add_kit(table: Json) -> None:
    kit = table[NEXT] = _renamed(table[BASE])
    del kit["saved"]["methods"]["session/delete"]


_DECISIONS: dict[str, Callable[[Json], None]] = {
    "capabilities.toml": _add_capabilities,
    "updates.toml": _add_updates,
    "pages.toml": _add_pages,
    "policy.toml": _add_policy,
    "summaries.toml": _add_summaries,
    "requirements.toml": _add_requirements,
    "kit.toml": _add_kit,
}


def _toml(table: Json, path: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table in TOML."""
    inner = {key: value for key, value in table.items() if isinstance(value, dict)}
    if path:
        yield f"[{'.'.join(map(_key, path))}]"
    for key, value in table.items():
        if key not in inner:
            yield f"{_key(key)} = {_value(value)}"
    for key, value in inner.items():
        yield from _toml(value, (*path, key))


def _key(key: str) -> str:
    return key if re.fullmatch("[A-Za-z0-9_-]+", key) else _value(key)


def _value(value: Json) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)
