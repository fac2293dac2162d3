"""Permissions: rules, remembered choices and dialogs that answer permission requests.

    request -> question_of -> Question -> rules -> remembered choices -> ask= -> id of an option

The first step that reaches a decision determines the response. A request contains only the agent's
own claims, and an agent can act without asking. Rules therefore reduce the number of questions, but
they aren't a sandbox.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, TypeAlias
from weakref import WeakValueDictionary

from ..runtime.jsonrpc.logs import logger_of
from ..runtime.session.permissions import subject_of
from ..runtime.values.errors import quotation
from ..runtime.values.jsontext import loads
from .disk import TEMPORARY, replace_file

_log = logger_of(__name__)

Answer: TypeAlias = Literal["allow_once", "allow_always", "reject_once", "reject_always"]

# The kinds of options to select for each answer, in order of preference. An option never grants
# more than the answer does.
_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "allow_once": ("allow_once",),
    "allow_always": ("allow_always", "allow_once"),
    "reject_once": ("reject_once", "reject_always"),
    "reject_always": ("reject_always", "reject_once"),
}
_ALWAYS = ("allow_always", "reject_always")
# The kinds of tool calls that a rule with paths or commands allows if it doesn't list kinds. Paths
# and commands don't describe the effects of other kinds, such as approving a plan or a purchase.
_FILE_KINDS = frozenset({"read", "edit", "delete", "move", "search"})
_COMMAND_KINDS = frozenset({"execute"})
# Characters that have a special meaning in at least one shell. If a command line contains such a
# character, its arguments can't be determined.
_SYNTAX = frozenset(";&|<>()$`\\%^\n\r\0")
_SHELL = re.compile("(/bin/|/usr/bin/)?(ba|da|z)?sh")


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionLimits:
    """Limits of `Permissions`.

    Attributes:
        choices: the maximum number of remembered choices. When this number is exceeded, the oldest
            choice is forgotten, and the user is asked again.
        text: the maximum total length of a request's command and paths, in characters. For longer
            requests, the user is asked, and the choice isn't remembered. Comparing long requests
            with rules would take too much time, and remembering them would take too much space.
        paths: the maximum number of paths to compare or remember per request. Resolving the links
            in paths takes time.
        answer_seconds: how long the user can take before the request is rejected. If None, the
            request waits until the agent or the user cancels it or the connection closes.
        cleanup_seconds: how long a cancelled dialog can take to close before the session's next
            question is asked.
    """

    choices: int = 1_000
    text: int = 20_000
    paths: int = 1_000
    answer_seconds: float | None = None
    cleanup_seconds: float = 5.0


_DEFAULT = PermissionLimits()
StrPath: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of a permission request.

    Attributes:
        id: the option's id, which is opaque to the client.
        name: the text to display.
        kind: `allow_once`, `allow_always`, `reject_once`, `reject_always`, or a custom kind.
    """

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A permission request.

    The `repr` omits commands and input so that secrets don't appear in logs.

    Attributes:
        session_id: the session's id.
        agent: the agent program's name, or an empty string if unknown.
        cwd: the folder in which the command runs; by default, the session's working directory.
        kind: the kind of the tool call, or `other` if it is unknown.
        title: the heading, for display.
        description: the reason for the request, for display, or an empty string.
        paths: the paths in the tool call, including the paths in its diffs.
        command: the program and its arguments. None if there is no command or if the command line
            contains shell syntax.
        command_line: the command as text, for display, or None.
        options: the options that the agent offers.
        raw_input: the tool's input as JSON, or None if unknown.
        tool_call: the tool call's known fields, as one of the surface's records, for display. None
            if the request isn't about a tool call.
    """

    session_id: str
    agent: str = ""
    cwd: str = ""
    kind: str = "other"
    title: str = ""
    description: str = ""
    paths: tuple[str, ...] = ()
    command: tuple[str, ...] | None = field(default=None, repr=False)
    command_line: str | None = field(default=None, repr=False)
    options: tuple[Option, ...] = ()
    raw_input: Any = field(default=None, repr=False)
    tool_call: Any = field(default=None, repr=False)


Ask: TypeAlias = Callable[[Question], Awaitable["str | None"]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An answer to every permission request that meets the rule's conditions.

    An allow rule (a rule with an `allow_*` answer) must list kinds, paths or commands. Without
    `kinds`, an allow rule applies only to `execute` if the rule lists commands, and otherwise only
    to `read`, `edit`, `delete`, `move` and `search`. To allow other kinds, such as `switch_mode`
    and `fetch`, list them in `kinds`. A reject rule (a rule with a `reject_*` answer) applies to
    all kinds by default.

    Attributes:
        answer: the kind of option to select. If the agent doesn't offer an option to always allow,
            the request is allowed once. A reject rule can select an option of either `reject_*`
            kind.
        kinds: the kinds of tool calls.
        paths: files and folders. A path matches if it is listed or is inside a listed folder. An
            allow rule matches if the request contains paths and all of them match. A reject rule
            matches if at least one of the request's paths matches. Links are followed.
        commands: programs with their first arguments: `["git", "status"]` matches `git status
            --short` but not `git push`. A command line with shell syntax, such as `;`, `$` or `|`,
            never matches an allow rule with commands. If a reject rule lists commands, the user is
            asked about such a line unless an earlier rule matches, since the line could contain a
            rejected command.
        agent: the agent program's name.
    """

    answer: Answer
    kinds: Collection[str] | None = None
    paths: Sequence[StrPath] | None = None
    commands: Sequence[Sequence[str]] | None = None
    agent: str | None = None

    def __post_init__(self) -> None:
        """Check the conditions.

        Raises:
            TypeError: If a condition has the wrong type, such as a string instead of a list.
            ValueError: If the answer is unknown, if a condition is empty, or if the rule would
                allow everything.
        """
        if self.answer not in list(_OPTIONS):  # a list, so that unhashable values also work
            raise ValueError(f"unknown answer {self.answer!r}; use one of {', '.join(_OPTIONS)}")
        _require_list("kinds", self.kinds, str)
        _require_list("paths", self.paths, (str, os.PathLike))
        _require_list("commands", self.commands, (list, tuple))
        for command in self.commands or ():
            _require_list("commands", command, str)
        if self._allows and self.kinds is None and self.paths is None and self.commands is None:
            raise ValueError("the rule would allow everything; add kinds, paths or commands")

    @property
    def _allows(self) -> bool:
        return self.answer.startswith("allow")

    def fits(self, question: Question) -> bool | None:
        """Return whether the rule answers a question, or None if that can't be determined."""
        kinds = self.kinds
        if kinds is None and self._allows:
            kinds = _FILE_KINDS if self.commands is None else _COMMAND_KINDS
        if kinds is not None and question.kind not in kinds:
            return False
        if self.agent is not None and question.agent != self.agent:
            return False
        command = question.command
        if self.commands is not None:
            if command is None and (self._allows or question.command_line is None):
                return False
            prefixes = map(tuple, self.commands)
            if command is not None and not any(command[: len(each)] == each for each in prefixes):
                return False
        if self.paths is not None:
            roots = [root for path in self.paths if (root := _real(os.fspath(path)))]
            inside = [_is_inside(path, roots) for path in question.paths]
            if not inside or not (all(inside) if self._allows else any(inside)):
                return False
        return None if self.commands is not None and command is None else True


_CONDITIONS = [each.name for each in fields(Rule)]


class Permissions:
    """Responses to permission requests, based on rules, remembered choices, or the user's answers.

    The rules are checked first, in order, and then the remembered choices. If no rule or remembered
    choice applies, `ask` asks the user. Without `ask`, the request is rejected, and a warning is
    logged once.

    Assign an object of this class to a client's `permissions` attribute: `class
    Editor(v2.SessionClient): permissions = Permissions(...)`. One object can serve several
    connections in the same event loop.

    If the user selects an option of the kind `allow_always` or `reject_always`, the choice is
    remembered for requests with the same agent, folder, kind, command and paths. A choice isn't
    remembered if the request contains neither a command nor a path. The agent itself usually also
    remembers the choice for the session.

    Attributes:
        rules: the rules, in order.
        limits: the limits.
    """

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        *,
        ask: Ask | None = None,
        remembered: StrPath | None = None,
        limits: PermissionLimits = _DEFAULT,
    ) -> None:
        """Load the remembered choices.

        Args:
            rules: the rules, in order. The first matching rule applies.
            ask: an async function that asks the user, one question at a time per session. The
                function returns the id or kind of an option, or None to reject the request. The
                call is cancelled if the agent no longer needs the answer.
            remembered: the file in which choices are stored so that they persist after the program
                exits. The file is created when needed. Since the file contains commands and paths,
                only its owner can read it. If the file is invalid, it is renamed with the suffix
                `.invalid`.
            limits: the limits.

        Raises:
            TypeError: If a rule isn't a `Rule`, or if `ask` isn't callable.
        """
        _require_list("rules", rules or None, Rule)
        if ask is not None and not callable(ask):
            raise TypeError(f"ask: expected an async function, found {ask!r}")
        self.rules = tuple(rules)
        self.limits = limits
        self._ask = ask
        self._choices = _Choices(remembered, limits)
        # A session's lock exists only while one of its questions is being asked or is waiting to be
        # asked. The connection limits the number of pending requests.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._logged: set[str] = set()

    @classmethod
    def from_file(
        cls, path: StrPath, *, ask: Ask | None = None, remembered: StrPath | None = None
    ) -> Permissions:
        """Read rules from a JSON file.

        The file contains an object with a `rules` array. Each rule is an object with the attributes
        of `Rule`: `{"answer": "allow_once", "commands": [["git", "status"]]}`. Relative paths are
        relative to the file's folder, and `~` represents the home folder.

        Args:
            path: the file.
            ask: an async function that asks the user, as for `Permissions`.
            remembered: the file to store choices in, as for `Permissions`.

        Raises:
            OSError: If the file can't be read.
            ValueError: If the file isn't valid. The message contains the file's name and the
                position of the error.
        """
        file = Path(path).expanduser()
        rules: list[Rule] = []
        where = ""
        try:
            data: Any = loads(file.read_bytes())
            entries: Any = data.get("rules") if data.__class__ is dict and len(data) == 1 else None
            if entries.__class__ is not list:
                raise ValueError('expected {"rules": [...]}')
            for number, entry in enumerate(entries):
                where = f"#/rules/{number}"
                rules.append(_read_rule(entry, file.parent))
        except (TypeError, ValueError) as error:
            raise ValueError(f"{file}{where}: {error}") from None
        return cls(rules, ask=ask, remembered=remembered)

    async def answer_request(
        self, params: Any, known: Mapping[str, Any], *, agent: str = "", cwd: str = ""
    ) -> str | None:
        """Convert a permission request to a question and answer it; see `answer`."""
        question = question_of(params, known, agent=agent, cwd=cwd, limits=self.limits)
        return await self.answer(question)

    async def answer(self, question: Question) -> str | None:
        """Answer a question.

        This method waits only if the user must be asked. Cancelling the call cancels the dialog and
        discards the user's answer.

        Returns:
            The id of an option, or None if the request must be rejected but has no reject option.
            In that case, respond with the outcome `cancelled`.

        Raises:
            ValueError: If `ask` returns an id or kind that the agent did not offer.
        """
        decided = self._decide(question)
        if decided is not None:
            return self._select(question, decided)
        if self._ask is None:
            self._log_once(
                "rejecting a permission request because `ask` is not set; "
                "pass `ask=` to ask the user"
            )
            return self._select(question, "reject_once")
        async with self._locks.setdefault(question.session_id, asyncio.Lock()):
            # The user's previous choice might also answer this question.
            decided = self._decide(question)
            if decided is not None:
                return self._select(question, decided)
            return self._take(question, await self._ask_user(self._ask(question)))

    def _decide(self, question: Question) -> str | None:
        """Return the answer given by a rule or a remembered choice, or None to ask the user."""
        if _is_large(question, self.limits):
            return None
        for rule in self.rules:
            fits = rule.fits(question)
            if fits is not False:
                return _available(question, rule.answer) if fits else None
        return self._choices.find(question)

    def _take(self, question: Question, choice: str | None) -> str | None:
        """Return the id of the option that the user chose. Remember an "always" choice."""
        kinds = {option.id: option.kind for option in question.options}
        is_kind = choice in _OPTIONS
        if is_kind and kinds.get(choice or "", choice) != choice:
            self._log_once("an option's id is the name of a different kind; rejecting the request")
            choice = None
        if choice is None:
            return self._select(question, "reject_once")
        option_id = self._select(question, choice) if is_kind else choice
        if option_id is None and choice.startswith("reject"):
            return None
        if option_id not in kinds:
            raise ValueError(
                f"`ask` returned {choice!r}, which the agent did not offer; return the id or the "
                "kind of an option"
            )
        answer = kinds[option_id]
        # Don't remember the choice if the agent didn't offer the kind that the user chose.
        is_always = answer in _ALWAYS and choice in (option_id, answer)
        if is_always and not self._choices.add(question, answer):
            self._log_once("cannot remember a choice without a command or path; applying it once")
        return option_id

    def _select(self, question: Question, answer: str) -> str | None:
        option_id = _option(question, answer)
        if option_id is None and answer.startswith("reject"):
            self._log_once("no option rejects the permission request; responding with 'cancelled'")
        return option_id

    async def _ask_user(self, dialog: Awaitable[str | None]) -> str | None:
        """Return the user's choice, or None if the user doesn't choose before the timeout."""
        # Use a separate task so that a dialog that ignores its cancellation can't block this task.
        asking = asyncio.ensure_future(dialog)
        asking.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            await asyncio.wait([asking], timeout=self.limits.answer_seconds)
            return asking.result() if asking.done() and not asking.cancelled() else None
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait([asking], timeout=self.limits.cleanup_seconds)
                if not asking.done():
                    self._log_once("a cancelled dialog is still running; asking the next question")

    def _log_once(self, message: str) -> None:
        """Log a warning once. The message must not quote the request, which can contain secrets."""
        if message not in self._logged:
            self._logged.add(message)
            _log.warning("%s; further occurrences are not logged", message, extra={"kind": message})


# --- questions -------------------------------------------------------------------------------


def question_of(
    params: Any,
    known: Mapping[str, Any],
    *,
    agent: str = "",
    cwd: str = "",
    limits: PermissionLimits = _DEFAULT,
) -> Question:
    """Convert a permission request to a question.

    Args:
        params: the request params, from any surface.
        known: the session's tool calls, by id. The tool calls provide fields that the request
            omits.
        agent: the agent program's name.
        cwd: the session's working directory.
        limits: the limits.
    """
    subject = subject_of(params)
    call: Any = getattr(subject, "tool_call", None)
    before: Any = known.get(getattr(call or subject, "tool_call_id", None) or "")

    def say(name: str) -> Any:
        return getattr(call, name, None) or getattr(before, name, None) or None

    raw = say("raw_input")
    stated = {"command": getattr(subject, "command", None), "cwd": getattr(subject, "cwd", None)}
    source: Any = stated if stated["command"] else raw if raw.__class__ is dict else {}
    command, line = _command_of(source.get("command"), source.get("args"), limits)
    folder = source.get("cwd")
    return Question(
        session_id=params.session_id,
        agent=agent,
        cwd=os.path.join(cwd, folder) if folder and isinstance(folder, str) else cwd,
        kind=say("kind") or ("execute" if stated["command"] else "other"),
        title=getattr(params, "title", None) or say("title") or "",
        description=getattr(params, "description", None) or "",
        paths=_paths_of(say("locations") or (), say("content") or ()),
        command=command,
        command_line=line,
        options=tuple(
            Option(id=each.option_id, name=each.name, kind=each.kind) for each in params.options
        ),
        raw_input=raw,
        tool_call=before or call,
    )


def _is_large(question: Question, limits: PermissionLimits) -> bool:
    """Return whether comparing or remembering a question would take too much time or space."""
    texts = (question.cwd, question.command_line or "", *question.paths)
    return len(question.paths) > limits.paths or sum(map(len, texts)) > limits.text


def _paths_of(locations: Sequence[Any], content: Sequence[Any]) -> tuple[str, ...]:
    """Return the paths in locations and diffs. Diffs can contain paths that aren't locations."""
    changes = [change for each in content for change in getattr(each, "changes", None) or ()]
    paths = [
        getattr(each, name, None)
        for each in (*locations, *content, *changes)
        for name in ("path", "old_path")
    ]
    return tuple(dict.fromkeys(path for path in paths if isinstance(path, str)))


def _command_of(
    command: Any, args: Any, limits: PermissionLimits
) -> tuple[tuple[str, ...] | None, str | None]:
    """Return the arguments and the text of a tool call's command."""
    if not command:
        return None, None
    if isinstance(command, str) and not args:
        return _split(command, limits), command
    lists: list[Any] = [[command] if isinstance(command, str) else command, args or []]
    if not all(each.__class__ is list for each in lists):
        return None, None
    words = [*lists[0], *lists[1]]
    if not all(isinstance(word, str) for word in words):
        return None, None
    line = shlex.join(words)
    # To run a shell, agents send its name, "-c" or "-lc", and a command line.
    if len(words) == 3 and _SHELL.fullmatch(words[0]) and words[1] in ("-c", "-lc"):
        return _split(words[2], limits), line
    return tuple(words), line


def _split(line: str, limits: PermissionLimits) -> tuple[str, ...] | None:
    """Return the arguments of a command line, or None if it contains shell syntax."""
    if len(line) > limits.text or not _SYNTAX.isdisjoint(line):
        return None
    try:
        return tuple(shlex.split(line)) or None
    except ValueError:  # an unmatched quotation mark
        return None


# --- options ---------------------------------------------------------------------------------


def _option(question: Question, answer: str) -> str | None:
    """Return the id of the option for an answer, or None if the agent offers no such option."""
    for kind in _OPTIONS[answer]:
        ids = [option.id for option in question.options if option.kind == kind]
        # If several options have the same `allow_*` kind, they might grant different
        # permissions, so none is chosen.
        if len(ids) == 1 or (ids and kind.startswith("reject")):
            return ids[0]
    return None


def _available(question: Question, *answers: str) -> str | None:
    """Return the first available answer. A rejection is available even without an option."""
    return next(
        (each for each in answers if each.startswith("reject") or _option(question, each)), None
    )


# --- remembered choices ----------------------------------------------------------------------

_FIELDS = ("agent", "cwd", "kind", "command", "paths", "answer")


class _Choices:
    """The remembered choices, in memory and in a file."""

    def __init__(self, path: StrPath | None, limits: PermissionLimits) -> None:
        # Resolve links so that the link's target is replaced instead of the link.
        self._path = None if path is None else Path(os.path.realpath(Path(path).expanduser()))
        self._limits = limits
        self._answers: dict[tuple[Any, ...], str] = {}
        with self._reporting():
            self._answers = self._read()

    def find(self, question: Question) -> str | None:
        """Return the answer that the user chose earlier for the same question."""
        answer = self._answers.get(_scope_of(question) or ())
        # Prefer an option of the kind "once", since the agent might extend "always" to other
        # requests.
        return answer and _available(question, answer.replace("always", "once"), answer)

    def add(self, question: Question, answer: str) -> bool:
        """Remember a choice. Return False if the question can't be remembered or is too large."""
        scope = _scope_of(question)
        if scope is None or _is_large(question, self._limits):
            return False
        self._answers[scope] = answer
        with self._reporting():
            # Another program might have added choices, and the user might have removed some.
            answers = self._answers if self._path is None else self._read()
            answers.pop(scope, None)
            answers[scope] = answer
            while len(answers) > self._limits.choices:
                del answers[next(iter(answers))]
            if self._path is not None:
                rows = [dict(zip(_FIELDS, (*key, a), strict=True)) for key, a in answers.items()]
                self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                content = json.dumps(rows, indent=1).encode("ascii")
                # Use a unique name, since another program can write the file at the same time.
                replace_file(self._path, [content], f".{token_hex(4)}{TEMPORARY}")
            self._answers = answers
        return True

    def _read(self) -> dict[tuple[Any, ...], str]:
        """Return the choices in the file. An invalid file is renamed."""
        try:
            rows: Any = [] if self._path is None else loads(self._path.read_bytes())
            found: dict[tuple[Any, ...], str] = {
                (*(row[name] for name in _FIELDS[:-2]), tuple(row["paths"])): row["answer"]
                for row in rows
            }
            if not set(found.values()) <= {*_ALWAYS}:
                raise ValueError("unknown answer")
        except FileNotFoundError:
            return {}
        except (KeyError, TypeError, ValueError):
            aside = f"{self._path}.invalid"
            _log.warning("%s contains no valid choices; renaming it to %s", self._path, aside)
            os.replace(str(self._path), aside)
            return {}
        return found

    @contextmanager
    def _reporting(self) -> Generator[None, None, None]:
        try:
            yield
        except OSError as error:
            _log.warning("cannot remember choices in %s: %s", self._path, error.strerror)


def _scope_of(question: Question) -> tuple[Any, ...] | None:
    """Return the key for remembering a choice.

    Returns:
        The key, or None if a path isn't valid or the question has neither a path nor a command.
    """
    real = [_real(path) for path in question.paths]
    paths = tuple(sorted(os.path.normcase(path) for path in real if path is not None))
    if len(paths) < len(real) or not (paths or question.command_line):
        return None
    return question.agent, question.cwd, question.kind, question.command_line, paths


# --- files and paths -------------------------------------------------------------------------


def _read_rule(entry: Any, folder: Path) -> Rule:
    if entry.__class__ is not dict:
        raise ValueError(f"expected an object, found {quotation(str(entry))}")
    for name in entry:
        if name not in _CONDITIONS:
            raise ValueError(f"unknown condition {name!r}; use one of {', '.join(_CONDITIONS)}")
    given: dict[str, Any] = {"answer": None, **entry}
    rule = Rule(**given)
    return replace(
        rule, paths=rule.paths and [folder / os.path.expanduser(path) for path in rule.paths]
    )


def _require_list(name: str, value: Collection[Any] | None, type_: Any) -> None:
    if value is None:
        return
    if isinstance(value, str) or not hasattr(value, "__len__"):
        raise TypeError(f"{name}: expected a list, found {value!r}")
    if not value or not all(isinstance(each, type_) and each for each in value):
        raise ValueError(f"{name}: empty list or invalid item in {value!r}")


def _real(path: str) -> Path | None:
    """Return a path with links resolved, or None if it isn't valid."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # the path contains U+0000 or a lone surrogate
        return None


def _is_inside(path: str, roots: Sequence[Path]) -> bool:
    """Return whether a path is absolute and is one of the roots or inside a root."""
    real = _real(path) if os.path.isabs(path) else None
    return real is not None and any(map(real.is_relative_to, roots))
