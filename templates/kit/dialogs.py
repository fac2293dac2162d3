"""Dialogs: questions that wait for a user who answers elsewhere, such as on a web page.

agent -> Permissions(ask=dialogs.ask_permission), launch(sign_in=dialogs.ask_sign_in)
view  -> dialogs.open, dialogs.answer(id, option_id)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeAlias
from uuid import uuid4

from ..runtime.jsonrpc.logs import call_back, logger_of
from ..runtime.values.deferred import dataclass
from .permissions import Option, Question
from .signing_in import SignInMethod

_log = logger_of(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """An open question.

    Attributes:
        id: the dialog's id. Ids are never reused, so a late answer can't reach another question.
        session_id: the session's id, or an empty string for a sign-in.
        title: the question, for display. The agent provides `title`, `text` and the options.
        text: the command or the paths to display, or an empty string.
        options: the options to choose from. For a sign-in, each option has the kind "sign_in".
    """

    id: str
    session_id: str
    title: str
    text: str
    options: tuple[Option, ...]


# Called with the `Dialogs` object when a dialog opens or closes.
OnChange: TypeAlias = Callable[["Dialogs"], object]


class Dialogs:
    """The dialogs that are open until the view answers or the agent no longer needs an answer.

    Attributes:
        open: the open dialogs by id, oldest first.
    """

    def __init__(self, on_change: OnChange | None = None) -> None:
        """Create an empty collection of dialogs.

        Args:
            on_change: called with this object when a dialog opens or closes. Exceptions are logged.
        """
        # No limit is needed, since `Permissions` asks one question at a time per session.
        self.open: dict[str, Dialog] = {}
        self._answers: dict[str, asyncio.Future[str | None]] = {}
        self._on_change = on_change

    def answer(self, id: str, option_id: str | None) -> bool:
        """Answer a dialog and close it.

        Args:
            id: the id of the dialog.
            option_id: the id of the chosen option, or None if the user cancels.

        Returns:
            True if the dialog was open.

        Raises:
            ValueError: If the dialog has no such option. The dialog stays open.
        """
        dialog, answer = self.open.get(id), self._answers.get(id)
        if dialog is None or answer is None or answer.done():
            return False
        if option_id is not None and option_id not in [option.id for option in dialog.options]:
            raise ValueError(f"the dialog has no option {option_id!r}; pass the id of an option")
        answer.set_result(option_id)
        return True

    async def ask_permission(self, question: Question) -> str | None:
        """Ask the user for permission. Pass this method to `Permissions` as `ask`."""
        text = question.command_line or "\n".join(question.paths)
        return await self._ask(question.session_id, question.title, text, question.options)

    async def ask_sign_in(self, methods: Sequence[SignInMethod]) -> SignInMethod | None:
        """Ask the user how to sign in. Pass this method to `launch` as `sign_in`."""
        options = [Option(id=each.id, name=each.name, kind="sign_in") for each in methods]
        chosen = await self._ask("", "Sign in", "", options)
        return next((method for method in methods if method.id == chosen), None)

    async def _ask(
        self, session_id: str, title: str, text: str, options: Sequence[Option]
    ) -> str | None:
        id_ = uuid4().hex
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self.open[id_] = Dialog(
            id=id_, session_id=session_id, title=title, text=text, options=tuple(options)
        )
        self._answers[id_] = answer
        self._report_change()
        try:
            return await answer  # cancelled if the agent no longer needs the answer
        finally:
            del self.open[id_], self._answers[id_]
            self._report_change()

    def _report_change(self) -> None:
        if self._on_change is not None:
            call_back(self._on_change, self, what="on_change", log=_log)
