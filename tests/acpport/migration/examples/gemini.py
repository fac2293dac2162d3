"""A console client that drives the Gemini CLI or a compatible program."""

import argparse
import asyncio
import json
import os
import shutil
import sys

from acp_bindings import v1_unstable as v1
from acp_bindings.runtime import UNSET, RequestError
from acp_bindings.runtime.aio import Peer, connect_stdio
from acp_bindings.v1_unstable import kit


class GeminiClient(kit.WorkspaceMethods, v1.SessionClient):
    """A client that prints updates, asks for permission, and offers local files and terminals."""

    workspace = kit.Workspace()

    def __init__(self, auto_approve: bool) -> None:
        super().__init__()
        self.permissions = kit.Permissions(ask=preferred if auto_approve else chosen)

    async def session_update(self, params: v1.SessionNotification) -> None:
        match params.update:
            case v1.AgentMessageChunk(content=content):
                print_content(content)
            case v1.AgentThoughtChunk(content=content):
                print("\n[agent_thought]")
                print_content(content)
            case v1.UserMessageChunk(content=content):
                print("\n[user_message]")
                print_content(content)
            case v1.Plan(entries=entries):
                print("\n[plan]")
                for entry in entries:
                    print(f" - {entry.status.upper():<10} {entry.content}")
            case v1.PlanUpdate(plan=plan):
                if not isinstance(plan, v1.UnknownPlanUpdateContent):
                    print(f"\n[plan update] {plan.plan_id}")
            case v1.PlanRemoved(plan_id=plan_id):
                print(f"\n[plan removed] {plan_id}")
            case v1.ToolCall(title=title, status=status):
                print(f"\n🔧 {title} ({status or 'pending'})")
            case v1.ToolCallUpdate(tool_call_id=id_, status=status, content=items):
                print(f"\n🔧 Tool call `{id_}` → {status or 'in_progress'}")
                for item in items or []:
                    match item:
                        case v1.Diff(path=path):
                            print(f"  diff: {path}")
                        case v1.Terminal(terminal_id=terminal_id):
                            print(f"  terminal: {terminal_id}")
                        case _:
                            pass
            case update:
                print(f"\n[session update] {update}")

    async def elicitation_create(
        self, params: v1.CreateElicitationRequest
    ) -> v1.CreateElicitationResponse:
        if not isinstance(params, v1.UnknownCreateElicitationRequest):
            print(f"\n[elicitation] {params.message} ({type(params).__name__})")
        return v1.DeclineCreateElicitationResponse()

    async def elicitation_complete(self, params: v1.CompleteElicitationNotification) -> None:
        print(f"\n[elicitation complete] {params.elicitation_id}")


async def preferred(question: kit.Question) -> str | None:
    return next((each.id for each in question.options if each.kind.startswith("allow")), None)


async def chosen(question: kit.Question) -> str | None:
    options = question.options
    note = "" if options else " (no options, cancelling)"
    print(f"\n🔐 Permission requested: {question.title or '<permission>'}{note}")
    for number, option in enumerate(options, 1):
        print(f"  {number}. {option.name} ({option.kind})")
    while options:
        choice = (await asyncio.to_thread(input, "Select option: ")).strip()
        if choice.isdigit() and 0 < int(choice) <= len(options):
            return options[int(choice) - 1].id
        if choice:
            print("Invalid selection, try again.")
    return None


def print_content(content: v1.ContentBlock) -> None:
    match content:
        case v1.TextContent(text=text):
            print(text)
        case v1.ResourceLink(name=name, uri=uri):
            print(name or uri)
        case v1.EmbeddedResource(resource=v1.TextResourceContents(text=text)) if text:
            print(text)
        case v1.EmbeddedResource(resource=v1.BlobResourceContents(blob=blob)) if blob:
            print(blob)
        case v1.EmbeddedResource():
            print("<embedded resource>")
        case _:
            pass


async def send_prompt(session: v1.ClientSession, prompt: str, timeout: float | None) -> None:
    async with session.prompt(prompt) as turn:
        await turn.wait(timeout)


async def interactive_loop(session: v1.ClientSession, timeout: float | None) -> None:
    print("Type a message and press Enter to send.", "Commands: :cancel, :exit", sep="\n")
    while True:
        try:
            line = (await asyncio.to_thread(input, "\n> ")).strip()
        except EOFError:
            return print("\nExiting.")
        if line in (":exit", ":quit"):
            return None
        if line == ":cancel":
            await session.cancel()
        elif line:
            try:
                await send_prompt(session, line, timeout)
            except TimeoutError:
                complain("prompt timed out waiting for final ACP response")
            except RequestError as error:
                print_request_error("prompt", error)
            except Exception as error:
                complain(f"Prompt failed: {error}")


def complain(text: str) -> None:
    print(text, file=sys.stderr)


def print_request_error(stage: str, error: RequestError) -> None:
    complain(f"{stage} error ({error.code}): {error.message}")
    if error.data is not UNSET and error.data is not None:
        complain(json.dumps(error.data, indent=2))


async def talk(peer: Peer, prompt: str | None, timeout: float | None) -> int:
    stage = "initialize"
    try:
        answer = await peer.initialize()
        print(f"✅ Connected to Gemini (protocol v{answer.protocol_version})")
        stage = "new_session"
        session = await v1.ClientSession.create(peer, cwd=os.getcwd(), mcp_servers=[])
    except RequestError as error:
        print_request_error(stage, error)
        return 1
    except Exception as error:
        complain(f"{stage} error: {error}")
        return 1
    print(f"📝 Created session: {session.session_id}")
    if prompt is None:
        await interactive_loop(session, timeout)
        return 0
    try:
        await send_prompt(session, prompt, timeout)
    except TimeoutError:
        complain("prompt timed out waiting for final ACP response")
        return 1
    return 0


async def main() -> int:
    parser = argparse.ArgumentParser(description="Interact with the Gemini CLI over ACP.")
    parser.add_argument("--gemini", help="Path to the Gemini CLI binary")
    parser.add_argument("--model", help="Model identifier to pass to Gemini")
    parser.add_argument("--prompt", help="Send one prompt and exit")
    parser.add_argument(
        "--prompt-timeout",
        type=float,
        default=120.0,
        help="Seconds to wait for session/prompt to finish; use 0 to disable",
    )
    parser.add_argument("--sandbox", action="store_true", help="Enable Gemini sandbox mode")
    parser.add_argument("--debug", action="store_true", help="Pass --debug to Gemini")
    parser.add_argument(
        "--experimental-acp", action="store_true", help="Use Gemini's deprecated ACP flag"
    )
    parser.add_argument(
        "--skip-trust", action="store_true", help="Trust the current workspace for this session"
    )
    parser.add_argument("--yolo", action="store_true", help="Auto-approve permission prompts")
    args = parser.parse_args()

    binary = args.gemini or os.environ.get("ACP_GEMINI_BIN") or shutil.which("gemini")
    if not binary:
        complain("Unable to locate `gemini` CLI, provide --gemini path")
        return 1
    command = [binary, "--experimental-acp" if args.experimental_acp else "--acp"]
    command += ["--model", args.model] if args.model else []
    flags = {"--sandbox": args.sandbox, "--debug": args.debug, "--skip-trust": args.skip_trust}
    command += [flag for flag, is_set in flags.items() if is_set]
    try:
        async with connect_stdio(
            command,
            GeminiClient(args.yolo),
            stderr=None if args.debug else asyncio.subprocess.DEVNULL,
        ) as peer:
            return await talk(peer, args.prompt, args.prompt_timeout or None)
    except FileNotFoundError as error:
        complain(f"Failed to start Gemini CLI: {error}")
        return 1


if __name__ == "__main__":
    try:
        raise SystemExit(asyncio.run(main()))
    except KeyboardInterrupt:
        raise SystemExit(1) from None
