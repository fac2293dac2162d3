"""Somebody's project from its first vendored package through an edit and two upgrades."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from acpgen.cli.app import app
from acpgen.common.paths import SCHEMA
from acpgen.inputs.sources.files import locate_schemas
from diff.npm import PACKAGE, require_npm, revision
from typer.testing import CliRunner, Result

MAIN = '''"""A program that uses the vendored package."""

from __future__ import annotations

import asyncio
import json

from tool.acp import v2
from tool.acp.runtime import aio


def title(text: str) -> str:
    """The title of a tool call update, or what else it is."""
    update = v2.loads(v2.SessionUpdate, text)
    match update:
        case v2.ToolCallUpdate(tool_call_id=name, title=str() as said):
            return f"{name}: {said}"
        case v2.UnknownSessionUpdate():
            return f"unknown {update.tag}"
        case _:
            return update.__class__.__name__


def prompt(session: str, text: str) -> v2.PromptRequest:
    """A user's prompt."""
    return v2.PromptRequest(session_id=session, prompt=[v2.TextContent(text=text)])


class Agent(v2.AgentHandler):
    """Answers with what it was asked."""

    async def ext_request(self, method: str, params: object) -> object:
        return [method, params]


async def talk() -> object:
    """Ask an agent in the same process."""
    ours, theirs = aio.memory_streams()
    serving = asyncio.create_task(aio.serve(theirs, Agent))
    async with aio.connect(ours, v2.ClientHandler) as peer:
        answer: object = await v2.AgentStub(peer).ext_request("_echo", {"a": None})
    await serving
    return answer


def main() -> None:
    """Show all of it."""
    data = {"sessionUpdate": "tool_call_update", "toolCallId": "call_1", "title": "Edit"}
    print(title(json.dumps(data)))
    print(title('{"sessionUpdate": "_mine"}'))
    print(v2.dumps(prompt("sess_1", "hello")))
    print(json.dumps(asyncio.run(talk())))


if __name__ == "__main__":
    main()
'''
SHOWN = [
    "call_1: Edit",
    "unknown _mine",
    '{"sessionId":"sess_1","prompt":[{"type":"text","text":"hello"}]}',
    '["_echo", {"a": null}]',
]


def acpgen(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def run_program(root: Path) -> list[str]:
    """The output of the program."""
    return run_python(root, "from tool.main import main; main()").splitlines()


def run_python(root: Path, code: str) -> str:
    """The output of code in a bare interpreter, which keeps bytecode beside the project."""
    setup = f"import sys; sys.path.insert(0, {str(root / 'src')!r})"
    command = [sys.executable, "-I", "-S", "-W", "error", "-X", f"pycache_prefix={root / 'code'}"]
    done = subprocess.run(
        [*command, "-c", f"{setup}; {code}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_types(root: Path) -> None:
    """`mypy --strict` on the whole project, the vendored package included."""
    (root / "mypy.ini").write_text("[mypy]\nstrict = true\nmypy_path = src\n", encoding="utf-8")
    options = ("--config-file", "mypy.ini", "--python-version", "3.10", "--explicit-package-bases")
    command = [sys.executable, "-m", "mypy", *options, "--cache-dir", "cache", "src"]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def names_of(root: Path) -> dict[str, set[str]]:
    """What the vendored package has: its definitions, their members in JSON, and its methods."""
    code = (
        "import json, dataclasses; from tool.acp import v2; print(json.dumps({"
        "'definition': sorted(v2.TYPES),"
        "'member': [f'{n}.{f.name}' for n, t in v2.TYPES.items() if dataclasses.is_dataclass(t)"
        " for f in dataclasses.fields(t)],"
        "'method': [*v2.AGENT_METHODS, *v2.CLIENT_METHODS]}))"
    )
    return {subject: set(names) for subject, names in json.loads(run_python(root, code)).items()}


def test_a_project_vendors_and_upgrades(tmp_path: Path) -> None:
    require_npm("2.2.0")
    root = tmp_path / "project"
    tool = root / "src" / "tool"
    package = tool / "acp"
    tool.mkdir(parents=True)
    (tool / "__init__.py").touch()
    (tool / "main.py").write_text(MAIN, encoding="utf-8")

    # The first package is of an older schema, and `--check` says so.
    first = acpgen("vendor", str(package), "--schema", f"{PACKAGE}@2.2.0", "--surface", "v2")
    assert first.exit_code == 0, first.output
    assert f"v2: {PACKAGE}@2.2.0\n" in first.stdout
    assert run_program(root) == SHOWN
    stale = acpgen("vendor", "--check", str(package))
    assert stale.exit_code == 1
    assert f"v2 was generated from {PACKAGE}@2.2.0; this acpgen has another schema" in stale.stdout

    # Somebody edits a file; the upgrade does not overwrite it.
    edited = package / "v2" / "types.py"
    with edited.open("a", encoding="utf-8") as file:
        file.write("MINE = 1\n")
    upgrade = ("vendor", str(package), "--schema", f"{PACKAGE}@2.3.0", "--surface", "v2")
    refused = acpgen("vendor", str(package), "--schema", str(revision("2.3.0")))
    assert refused.exit_code == 2
    assert "was edited by hand" in refused.stderr
    assert edited.read_text("utf-8").endswith("MINE = 1\n")
    before = names_of(root)

    # The report says what the upgrade brings, and the upgrade brings it.
    versions = [str(revision(version)) for version in ("2.2.0", "2.3.0")]
    reported = acpgen("diff", *versions, "--surface", "v2", "--json")
    assert reported.exit_code == 1
    changes = json.loads(reported.stdout)["changes"]
    forced = acpgen(*upgrade, "--force")
    assert forced.exit_code == 0, forced.output
    assert f"v2: {PACKAGE}@2.2.0 → {PACKAGE}@2.3.0\n" in forced.stdout
    assert "MINE" not in edited.read_text("utf-8")
    after = names_of(root)
    for subject in ("definition", "member", "method"):
        come = after[subject] - before[subject]
        if subject == "member":  # those of new definitions are not named
            come = {each for each in come if each.partition(".")[0] in before["definition"]}
        assert before[subject] <= after[subject]
        assert come == {
            each["name"]
            for each in changes
            if (each["subject"], each["action"]) == (subject, "added")
        }
    assert "paused" in edited.read_text("utf-8")
    assert run_program(root) == SHOWN
    check_types(root)

    # Without options, vendoring takes acpgen's own schema, and the choices of the lock.
    [source] = locate_schemas(SCHEMA, ["v2"])
    last = acpgen("vendor", str(package))
    assert last.exit_code == 0, last.output
    assert source.origin is not None
    lock = json.loads((package / "acpgen.lock").read_text("utf-8"))
    assert [each["label"] for each in lock["schemas"].values()] == [source.origin.label]
    assert sorted(path.name for path in package.iterdir() if path.is_dir()) == ["runtime", "v2"]
    fresh = acpgen("vendor", "--check", str(package))
    assert (fresh.exit_code, fresh.stderr) == (0, "")
    assert run_program(root) == SHOWN
    assert [each for each in os.listdir(tool) if each.startswith(".")] == []
