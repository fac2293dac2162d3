"""A web client: a page with several sessions of an agent, for the local user only.

python web_client.py AGENT [ARGUMENT...]
"""

import asyncio
import json
import secrets
import socket
import sys
from collections.abc import AsyncGenerator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from acp_bindings import v2
from acp_bindings.runtime import CapabilityError, RequestError
from acp_bindings.v2 import kit
from hypercorn.asyncio import serve  # pyright: ignore[reportUnknownVariableType]
from hypercorn.config import Config
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

CWD = str(Path.cwd())
FAILURES = (RequestError, CapabilityError, OSError, ValueError)


class Shown(v2.ClientSession):
    note = ""  # how the last turn ended


class Client(v2.SessionClient[Shown]):
    info = v2.Implementation(name="web-client", version="1.0")


class Web:
    """The state of the page: the agent and its sessions."""

    link: kit.Link[Shown]

    def __init__(self) -> None:
        self.sessions: dict[str, Shown] = {}
        self.dialogs = kit.Dialogs(on_change=self.show)
        self.changed = asyncio.Event()  # set and replaced at each change

    def show(self, _: object = None) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    async def overviews(self) -> AsyncGenerator[dict[str, Any]]:
        while True:
            changed = self.changed
            state = "running" if self.link.is_running else self.link.failure or "starting again"
            notes = [
                (id_, "working" if each.turns else each.closed_reason or each.note)
                for id_, each in self.sessions.items()
            ]
            dialogs = [asdict(dialog) for dialog in self.dialogs.open.values()]
            yield {"agent": str(state), "sessions": notes, "dialogs": dialogs}
            await changed.wait()

    async def updates(self, session: Shown) -> AsyncGenerator[dict[str, Any]]:
        async for batch in kit.follow(session):
            encoded = [v2.encode(update, v2.SessionUpdate) for update in batch.updates]
            yield {"isSnapshot": batch.is_snapshot, "updates": encoded}

    async def play_turn(self, session: Shown, text: str) -> None:
        try:
            await self.link.wait_running()
            async with session.prompt(text) as turn:
                self.show()
                await turn.wait()
            session.note = turn.stop_reason or ""
        except FAILURES as error:
            session.note = str(error)
        self.show()

    async def page(self, request: Request) -> Response:
        return FileResponse(Path(__file__).with_suffix(".html"))

    async def events(self, request: Request) -> Response:
        id_ = request.query_params.get("session")
        source = self.overviews() if id_ is None else self.updates(self.find(id_))
        events = (f"data: {json.dumps(each)}\n\n" async for each in source)
        return StreamingResponse(events, media_type="text/event-stream")

    async def act(self, request: Request) -> Response:
        if request.headers.get("origin") != f"http://{request.url.netloc}":
            raise HTTPException(403, "the request is from another page")
        match await request.json():
            case ["open"]:
                session = await self.link.open(cwd=CWD)
                self.sessions[session.session_id] = session
            case ["prompt", id_, text]:
                task = BackgroundTask(self.play_turn, self.find(id_), text)
                return Response(background=task)
            case ["cancel", id_]:
                await self.find(id_).cancel()
            case ["close", id_]:
                session = self.find(id_)
                del self.sessions[id_]  # removed even if the agent cannot close it
                self.show()
                await session.close()
            case ["answer", id_, option_id]:
                self.dialogs.answer(id_, option_id)
            case ["sign in"]:
                await self.link.sign_in()
            case _:
                raise HTTPException(400, "unknown action")
        self.show()
        return Response()

    def find(self, id_: str) -> Shown:
        if id_ not in self.sessions:
            raise HTTPException(404, "no such session")
        return self.sessions[id_]


async def failed(request: Request, error: Exception) -> Response:
    return PlainTextResponse(str(error), 500)


async def main(command: list[str]) -> None:
    web, token = Web(), secrets.token_urlsafe()  # keeps out other local users
    routes = [Route("/", web.page), Route("/events", web.events)]
    app: Any = Starlette(
        routes=[Mount(f"/{token}", routes=[*routes, Route("/", web.act, methods=["POST"])])],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1"])],
        exception_handlers=dict.fromkeys(FAILURES, failed),
    )
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    config = Config.from_mapping(bind=f"fd://{listening.detach()}", loglevel="WARNING")
    permissions = kit.Permissions(ask=web.dialogs.ask_permission)
    options = {"sign_in": web.dialogs.ask_sign_in, "on_change": web.show}
    async with kit.launch(
        command, Client, workspace=kit.Workspace(CWD), permissions=permissions, **options
    ) as web.link:
        print(f"http://127.0.0.1:{port}/{token}/", flush=True)
        await serve(app, config)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
