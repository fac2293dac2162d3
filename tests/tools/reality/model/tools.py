"""Chooses an agent's tool for an action and the arguments that the tool's schema requires.

Agents use different names for the same tool or argument. The tables below list these names.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

NEW = "edited"
OLD = "original"


@dataclass
class Tool:
    """A tool that an agent offers to the model.

    Attributes:
        name: its name.
        schema: the JSON Schema for its arguments.
        is_custom: whether it accepts plain text instead of JSON arguments.
    """

    name: str
    schema: dict[str, Any]
    is_custom: bool = False


@dataclass
class Call:
    """A tool call, with arguments or with the text for a custom tool."""

    name: str
    arguments: dict[str, Any]
    text: str | None = None

    @property
    def json(self) -> str:
        return json.dumps(self.arguments)


# Tool names for each action, in lower case and in order of preference.
_NAMES = {
    "run": [
        *("bash", "run_shell_command", "exec_command", "shell_command", "shell", "execute"),
        *("terminal", "run_command", "execute_bash", "run_commands"),
    ],
    "read": ["read", "read_file", "view", "fs_read", "read_files"],
    "edit": [
        *("edit", "replace", "edit_file", "search_replace", "str_replace", "file_editor"),
        *("str_replace_editor", "patch", "apply_patch", "exec_command", "shell_command", "shell"),
        *("write_file", "write"),
    ],
    # Some agents declare the tools of MCP servers only after the model searches for them.
    "search": ["tool_search", "toolsearch"],
    "call": ["tool_call"],
}
GREET = "mcp__reality__greet"
# Tools that can edit a file without reading it first.
_UNREAD = ("apply_patch", "exec_command", "shell_command", "shell")

# The names of arguments, in lower case and without `_`.
_PATH = ("path", "filepath", "absolutepath", "file", "filename", "targetfile")
_OLD = ("oldstring", "oldstr", "oldtext", "old", "search", "find")
_NEW = ("newstring", "newstr", "newtext", "new", "replace", "replacement")
_CONTENT = ("content", "contents", "filetext", "text")
_COMMAND = ("command", "cmd", "script")


def choose(deed: str, tools: list[Tool], values: dict[str, str]) -> Call | None:
    """Return the tool call for an action, or None if no tool is suitable or no call is needed.

    Args:
        deed: `run`, `read`, `edit`, `search` or `greet`.
        tools: the agent's tools.
        values: the scene's values, such as `path` or `name`.
    """
    if deed == "greet":
        arguments: dict[str, Any] = {"name": values["name"]}
        found = next((tool for tool in tools if tool.name.endswith("greet")), None)
        if found is None and (found := _find("call", tools)):
            arguments = {"name": GREET, "arguments": arguments}
        if found is None:
            return None
        properties = found.schema.get("properties", {})
        required = (name for name in found.schema.get("required", []) if name in properties)
        others = {name: fill(properties[name]) for name in required}
        return Call(found.name, {**others, **arguments})
    tool = _find(deed, tools)
    if tool is not None and deed == "search":
        return Call(tool.name, {"query": f"select:{GREET}"})
    if tool is None or (deed == "read" and _reads_by_editing(tools)):
        return None
    if tool.name == "apply_patch":
        text = _patch(values["path"])
        return Call(tool.name, {next(iter(tool.schema.get("properties", {})), "input"): text}, text)
    values = dict(values)
    if deed == "run":
        values["command"] = f"touch {values['path']}"
    elif deed == "edit":
        values["command"] = f"apply_patch <<'EOF'\n{_patch(values['path'])}EOF\n"
    return Call(tool.name, _arguments(deed, tool, values))


def _find(deed: str, tools: list[Tool]) -> Tool | None:
    by_name = {tool.name.lower(): tool for tool in tools}
    return next((by_name[name] for name in _NAMES[deed] if name in by_name), None)


def _reads_by_editing(tools: list[Tool]) -> bool:
    edit = _find("edit", tools)
    return edit is None or edit.name.lower() in _UNREAD


def _patch(path: str) -> str:
    return f"*** Begin Patch\n*** Update File: {path}\n@@\n-{OLD}\n+{NEW}\n*** End Patch\n"


def _arguments(deed: str, tool: Tool, values: dict[str, str]) -> dict[str, Any]:
    """Return an action's arguments, with arbitrary values for other required arguments."""
    properties: dict[str, Any] = tool.schema.get("properties", {})
    required = tool.schema.get("required", [])
    arguments: dict[str, Any] = {}
    for name, schema in properties.items():
        known = _argument(deed, name.lower().replace("_", ""), schema, values)
        item = schema.get("items") or {}
        if known is not None:
            arguments[name] = known
        elif "properties" in item:  # such as a list of edits to a file
            arguments[name] = [_arguments(deed, Tool(name, item), values)]
        elif name in required:
            arguments[name] = fill(schema)
    return arguments


def _argument(deed: str, name: str, schema: dict[str, Any], values: dict[str, str]) -> Any:
    edits = deed == "edit"
    if name in _PATH and "path" in values and deed != "run":
        return values["path"]
    if name in _COMMAND and "enum" in schema:  # one tool for several actions
        return {"read": "view", "edit": "str_replace"}.get(deed, schema["enum"][0])
    if name in _COMMAND and "command" in values:
        command = values["command"]
        return ["bash", "-c", command] if schema.get("type") == "array" else command
    if name == "commands":
        return [values["command"]]
    if edits and name in _OLD:
        return OLD
    if edits and name in _NEW:
        return NEW
    if edits and name in _CONTENT:
        return NEW + "\n"
    return None


def fill(schema: dict[str, Any]) -> Any:
    """Return a value that matches a schema. Only keywords that agents use are supported."""
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object":
        return {name: fill(each) for name, each in schema.get("properties", {}).items()}
    simple = {"boolean": False, "integer": 1, "number": 1, "array": []}
    return simple.get(schema.get("type", "string"), "reality")
