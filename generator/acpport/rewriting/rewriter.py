"""A rewriter that visits each node of a module and calls the functions that convert the nodes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import cast

import libcst as cst
from acp_bindings.runtime import UnsetType

from acpport.counterparts.names import find, tags
from acpport.counterparts.surface import HANDLER, INTERFACE, SIDES, STUB, SdkMethod, Side, Surface
from acpport.reading.inference import Connection, Inference, Types
from acpport.reading.sources import (
    Reference,
    code_of,
    comments_of,
    descendants,
    first_name,
    is_name,
    is_of_sdk,
    is_pragma,
    last_name,
    parse_quoted,
    reader_of,
    text_of,
    trailing,
)
from acpport.reading.survey import CONNECTIONS, Survey
from acpport.rewriting import calls, connections, handlers, imports, values
from acpport.rewriting.draft import Draft

# The SDK functions and classes for which the rewriter replaces the call, not only the name.
_CALLED = ("run_agent", "connect_to_agent", "spawn_agent_process", *CONNECTIONS)
# Functions that accept an object and the name of one of its attributes.
_NAMING = ("getattr", "hasattr", "setattr", "delattr", "object")
# The attributes of a mocked method that don't depend on its arguments.
_MOCKED = frozenset(
    (
        *("assert_awaited", "assert_awaited_once", "assert_called", "assert_called_once"),
        *("assert_not_awaited", "assert_not_called", "await_count", "awaited", "call_count"),
        *("called", "reset_mock", "return_value"),
    )
)


def rewrite(survey: Survey, inference: Inference, surface: Surface, *, exports: bool) -> bytes:
    """Convert a module.

    Args:
        survey: the survey of the module.
        inference: the known types of the program's variables.
        surface: the surface to use, which records the requested names that it doesn't define.
        exports: whether other modules might import names that the module itself doesn't use.
    """
    draft = Draft(surface, survey.taken)
    changed = survey.source.module.visit(_Rewriter(survey, inference, draft))
    unused = survey.origins.keys() - survey.names if exports else set()
    return imports.replace(draft, changed, survey.exported | unused).bytes


class _Rewriter(cst.CSTTransformer):
    def __init__(self, survey: Survey, inference: Inference, draft: Draft) -> None:
        super().__init__()
        self._source = survey.source
        self._survey = survey
        self._inference = inference
        self._draft = draft
        self._surface = draft.surface
        # The new calls to `connect`.
        self._opened: set[cst.CSTNode] = set()
        # The variables to which the results of these calls are assigned, by function.
        self._local: dict[cst.FunctionDef, str] = {}
        # The ancestors of the node that the rewriter is leaving, innermost last.
        self._around: list[cst.CSTNode] = []

    @property
    def _parent(self) -> cst.CSTNode:
        return self._around[-1]

    @property
    def _scope(self) -> list[cst.CSTNode]:
        return [each for each in self._around if isinstance(each, (cst.FunctionDef, cst.ClassDef))]

    @property
    def _function(self) -> cst.FunctionDef | None:
        functions = [each for each in self._around if isinstance(each, cst.FunctionDef)]
        return functions[-1] if functions else None

    def _types(self, node: cst.CSTNode | None) -> Types:
        return self._inference.types(self._survey, node, self._scope)

    def _sides_of(self, receiver: cst.BaseExpression) -> list[Side]:
        return self._inference.sides_of(self._survey, receiver, self._scope)

    def _is_called(self, node: cst.CSTNode) -> bool:
        """Return whether an expression is the function in a call."""
        return isinstance(self._parent, cst.Call) and self._parent.func is node

    # --- statements --------------------------------------------------------------------------

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            self._draft.begin_statement()
        self._around.append(node)
        return super().on_visit(node)

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        self._around.pop()
        left = super().on_leave(original_node, updated_node)
        if isinstance(original_node, (cst.Arg, cst.DictElement, cst.Element)):
            types = self._types(original_node.value)
            if types and isinstance(left, (cst.Arg, cst.DictElement, cst.Element)):
                self._draft.types[left.value] = types
        if isinstance(left, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            return cast(cst.CSTNodeT, self._commented(original_node, left))
        return left

    def _commented(
        self,
        original: cst.CSTNode,
        left: cst.SimpleStatementLine | cst.BaseCompoundStatement,
    ) -> cst.SimpleStatementLine | cst.BaseCompoundStatement:
        """Add the comments about manual decisions, and restore comments that were removed."""
        if isinstance(original, cst.SimpleStatementLine):
            missing = [each for each in comments_of(original) if each not in comments_of(left)]
            lines = [cst.EmptyLine(comment=cst.Comment(t)) for t in missing if not is_pragma(t)]
            left = left.with_changes(leading_lines=[*left.leading_lines, *lines])
            pragmas = dict.fromkeys(filter(is_pragma, missing))
            if pragmas and isinstance(left, cst.SimpleStatementLine):
                end = trailing([*pragmas, *comments_of(left.trailing_whitespace)])
                left = left.with_changes(trailing_whitespace=end)
        return left.with_changes(leading_lines=self._draft.end_statement(left.leading_lines))

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        if is_of_sdk(node) and isinstance(node.names, cst.ImportStar):
            self._draft.mark("list the imported names and run the command again.")
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    # --- names -------------------------------------------------------------------------------

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._replaced(original_node, updated_node)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        if original_node.attr.value == "field_meta":
            return updated_node.with_changes(attr=cst.Name("meta"))
        replaced = self._replaced(original_node, updated_node)
        if replaced is not updated_node:
            return replaced
        return self._read(original_node, self._method_itself(original_node, updated_node))

    def _replaced(
        self, original: cst.Name | cst.Attribute, updated: cst.BaseExpression
    ) -> cst.BaseExpression:
        source, draft = self._source, self._draft
        if source.is_module(original) and not isinstance(self._parent, cst.Attribute):
            name = code_of(original)
            draft.mark(f"`{name}` is an SDK module: import its names instead.")
            draft.kept.add(first_name(original))
        reference = source.reference(original) or source.quoted_reference(original)
        if reference is None or reference.rest:
            return updated
        key = reference.key
        row = find(key)
        is_replaced = key in _CALLED or (row is not None and bool(row.call))
        if is_replaced and self._is_called(original):
            return updated
        if key in CONNECTIONS:
            return draft.of_surface(STUB[CONNECTIONS[key]])
        if key == "RequestError":
            return draft.of_runtime(key)
        if key == "PROTOCOL_VERSION":
            return draft.version()
        type_ = self._surface.type_of(key)
        if type_ is not None:
            return draft.of_surface(type_)
        self._leave(reference, original)
        return updated

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        is_annotation = any(isinstance(each, cst.Annotation) for each in self._around)
        quoted = parse_quoted(original_node) if is_annotation else None
        if quoted is None or not any(self._source.references(quoted)):
            return updated_node
        changed = quoted.visit(self)
        assert isinstance(changed, cst.BaseExpression), "the result must be an expression"
        prefix, quote = original_node.prefix, original_node.quote
        return updated_node.with_changes(value=f"{prefix}{quote}{code_of(changed)}{quote}")

    def _mark_named(self, call: cst.Call) -> None:
        """Mark a call that passes an SDK method's name as a string, such as a call to `getattr`."""
        if last_name(call.func) not in _NAMING or len(call.args) < 2:
            return
        name = text_of(call.args[1].value)
        for method in (self._surface.method(side, name) for side in SIDES if "_" in name):
            if method is not None and method.handler not in ("", name):
                self._draft.mark(f"the method `{name}` is now `{method.handler}`.")
        if self._is_called(call) and not name and self._sides_of(call.args[0].value):
            self._draft.mark("methods have different names now and accept one params object.")

    def leave_Subscript(
        self, original_node: cst.Subscript, updated_node: cst.Subscript
    ) -> cst.Subscript:
        """Replace `A | B` in `list[A | B]` with the union that consists of these variants.

        Lists are invariant, so a list of the known variants would be a different type.
        """
        index = original_node.slice[0].slice
        if last_name(original_node.value) not in ("list", "List") or not isinstance(
            index, cst.Index
        ):
            return updated_node
        types = self._inference.annotated(self._survey, index.value)
        union = self._surface.union_of(types) if any(self._source.references(index)) else None
        if union is None:
            return updated_node
        named = cst.Index(self._draft.of_surface(union))
        return updated_node.with_changes(slice=[cst.SubscriptElement(named)])

    def _leave(self, reference: Reference, node: cst.BaseExpression) -> None:
        """Mark an SDK name that cannot be converted, and keep its import."""
        # If the unstable surface defines the name, the module is converted again for that surface.
        row = find(reference.key)
        advice = row.advice() if row is not None else "unknown SDK name."
        self._draft.mark(f"{reference.full}: {advice}")
        self._draft.kept.add(first_name(node))

    # --- classes and functions ---------------------------------------------------------------

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        side = self._survey.handlers.get(original_node)
        if side is None or original_node in self._survey.mixins:
            return updated_node
        own = self._draft.of_surface(HANDLER[side])
        if not original_node.bases:
            return updated_node.with_changes(
                bases=[cst.Arg(own)], lpar=cst.LeftParen(), rpar=cst.RightParen()
            )
        references = [self._source.reference(base.value) for base in original_node.bases]
        bases = [
            base.with_changes(value=own) if found and found.key in INTERFACE.values() else base
            for found, base in zip(references, updated_node.bases, strict=True)
        ]
        return updated_node.with_changes(bases=bases)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        method = self._handled(original_node)
        if method is None:
            return updated_node
        if method.name == "on_connect":
            return handlers.on_connect(self._draft, method.side, original_node, updated_node)
        return handlers.handler(self._draft, self._source, method, original_node, updated_node)

    def _handled(self, function: cst.FunctionDef) -> SdkMethod | None:
        """Return the SDK method that a function in a handler class implements, if any."""
        classes = [each for each in self._around if isinstance(each, cst.ClassDef)]
        if not classes or function not in classes[-1].body.body:
            return None
        return self._survey.handled(classes[-1], function, self._surface)

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        value = updated_node.value
        method = self._handled(self._function) if self._function is not None else None
        if method is None or method.method is None or method.is_extension:
            return updated_node
        if not isinstance(value, cst.Dict):
            return updated_node
        args = [cst.Arg(self._draft.of_surface(method.result)), cst.Arg(value)]
        return updated_node.with_changes(value=cst.Call(self._draft.of_surface("decode"), args))

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> cst.Expr | cst.Assign:
        """Replace `agent.on_connect(conn)` with an assignment if the method does nothing else."""
        call, new = original_node.value, updated_node.value
        kept = self._kept_by(call) if isinstance(call, cst.Call) else ""
        if not kept or not isinstance(new, cst.Call) or not isinstance(new.func, cst.Attribute):
            return updated_node
        target = new.func.with_changes(attr=cst.Name(kept))
        return cst.Assign([cst.AssignTarget(target)], new.args[0].value)

    def _kept_by(self, call: cst.Call) -> str:
        """Return the attribute in which the called `on_connect` stores the connection, if any."""
        found = self._inference.called(self._survey, call.func, self._scope)
        if found is None or last_name(call.func) != "on_connect" or len(call.args) != 1:
            return ""
        return handlers.kept_connection(found[1])

    # --- expressions -------------------------------------------------------------------------

    def _read(self, original: cst.BaseExpression, node: cst.BaseExpression) -> cst.BaseExpression:
        """Convert an expression that reads a tag or a field that can be absent."""
        parent, owner = self._parent, self._around[-2]
        is_written = isinstance(parent, (cst.AssignTarget, cst.AnnAssign, cst.Del, cst.AugAssign))
        is_compared = isinstance(parent, cst.Comparison) and parent.left is original
        subject = values.subject_of(original)[0]
        assert subject is not None, "an attribute must belong to an object"
        if self._is_called(original) or is_compared or self._sides_of(subject):
            return node
        if is_written and getattr(parent, "value", None) is not original:
            return node
        owners = self._types(subject)
        tag = values.tag(self._draft, owners, original, node)
        types = self._types(original)
        if tag is not node or UnsetType not in types:
            return tag
        if isinstance(original, cst.Call):
            is_tested = isinstance(parent, (cst.If, cst.While, cst.UnaryOperation)) or (
                getattr(parent, "test", None) is original
                or (isinstance(parent, cst.BooleanOperation) and parent.left is original)
            )
            is_none = len(original.args) == 3 and is_name(original.args[2].value, "None")
            if is_none and not is_tested:
                return values.or_none(self._draft, types, node)
        is_text = isinstance(parent, (cst.FormattedStringExpression, cst.DictElement)) or (
            isinstance(owner, cst.Call) and last_name(owner.func) in ("str", "repr", "print")
        )
        is_present = any(  # the expression is evaluated only if the value is true
            isinstance(outer, (cst.If, cst.IfExp))
            and inner is outer.body
            and outer.test.deep_equals(original)
            for outer, inner in pairwise(self._around)
        )
        return values.or_none(self._draft, types, node) if is_text and not is_present else node

    def _method_itself(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:
        """Rename a method of a connection or handler in an expression that doesn't call it."""
        parent, name = self._parent, original.attr.value
        methods = (self._surface.method(side, name) for side in self._sides_of(original.value))
        method = next((each for each in methods if each and each.handler), None)
        if self._is_called(original) or method is None:
            return updated
        if not (isinstance(parent, cst.Attribute) and parent.attr.value in _MOCKED):
            self._draft.mark(f"`{method.handler}` accepts one params object.")
        return updated.with_changes(attr=cst.Name(method.handler))

    def leave_MatchClass(
        self, original_node: cst.MatchClass, updated_node: cst.MatchClass
    ) -> cst.MatchClass:
        if self._source.reference(original_node.cls) is None:
            return updated_node
        kwds = [each for each in updated_node.kwds if each.key.value not in tags()]
        return updated_node.with_changes(kwds=kwds)

    def leave_Comparison(
        self, original_node: cst.Comparison, updated_node: cst.Comparison
    ) -> cst.BaseExpression:
        if len(original_node.comparisons) != 1:
            return updated_node
        types = self._types(original_node.left)
        owners = self._types(values.subject_of(original_node.left)[0])
        texts = values.is_tag(self._draft, owners, original_node)
        if texts:
            return values.kinds(self._draft, owners, texts, updated_node)
        if values.is_absence(self._draft, types, owners, original_node):
            return values.absence(self._draft, updated_node)
        left = values.tag(self._draft, owners, original_node.left, updated_node.left)
        return updated_node.with_changes(left=left)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        reference = self._source.reference(original_node.func)
        if reference is not None:
            return self._called(reference, original_node, updated_node)
        func = original_node.func
        if isinstance(func, cst.Attribute):
            function = self._function
            is_local = function is not None and self._local.get(function) == last_name(func.value)
            if is_local and func.attr.value == "close":
                return updated_node.with_changes(func=func.with_changes(value=cst.Name("peer")))
            if func.attr.value == "to_error_obj" and isinstance(func.value, cst.Name):
                return values.error_object(self._draft, func.value)
            method = self._method(func, original_node)
            if method is not None:
                moved = calls.with_params(self._draft, method, updated_node)
                return updated_node if moved is None else moved
            self._mark_named(original_node)
            return values.dump(self._draft, self._types(func.value), updated_node)
        if original_node.args:
            self._mark_named(original_node)
            values.question(self._draft, self._types(original_node.args[0].value), original_node)
        return self._read(original_node, updated_node) if reader_of(original_node) else updated_node

    def _called(
        self, reference: Reference, original: cst.Call, updated: cst.Call
    ) -> cst.BaseExpression:
        """Convert a call to an SDK class or function."""
        draft, key = self._draft, reference.key
        row = find(f"{key}.{reference.rest}" if reference.rest else key)
        if row is not None and row.call:
            expanded = calls.expand(draft, row, updated)
            if expanded is None:
                self._leave(reference, original.func)
            return updated if expanded is None else expanded
        if key == "run_agent":
            return connections.run_agent(draft, updated)
        if key == "connect_to_agent":
            return self._connected(original, updated)
        if key in CONNECTIONS:
            draft.mark(f"{reference.full}: `connect` and `serve` create the connection.")
            draft.kept.add(first_name(original.func))
        if key == "spawn_agent_process" and not isinstance(self._parent, cst.WithItem):
            self._leave(reference, original.func)
        type_ = self._surface.type_of(key)
        if type_ is None:
            return updated
        if reference.rest:
            return values.validate(draft, type_, reference.rest, updated)
        keyword = self._parent.keyword if isinstance(self._parent, cst.Arg) else None
        is_tag = keyword is not None and keyword.value in self._surface.unions
        if key != type_ and not is_tag:  # the replacement might require other fields
            calls.mark_missing(draft, type_, updated)
        return calls.construct(draft, type_, updated)

    def _method(self, func: cst.Attribute, call: cst.Call) -> SdkMethod | None:
        """Return the SDK method that a call refers to, if this package has a counterpart."""
        method = self._survey.method_of(call, self._sides_of(func.value), self._surface)
        name, receiver = func.attr.value, last_name(func.value)
        if name == "close" and any(isinstance(t, Connection) for t in self._types(func.value)):
            self._draft.mark("leaving the `connect` block closes the connection.")
        elif method is not None and name == "on_connect":
            if isinstance(self._parent, cst.Expr) and self._kept_by(call):
                return None
            self._draft.mark("`connected` receives a peer; see the guide's section about mocks.")
        elif method is not None and not method.handler:
            self._draft.mark(f"{name}: {method.row.advice()}")
        elif method is not None and (method.method is not None or method.is_extension):
            return method
        elif "_" in name and receiver != "self" and not self._types(func.value):
            for each in (self._survey.surface.method(side, name) for side in SIDES):
                if each is None or each.method is None or calls.has_params(self._draft, call, each):
                    continue
                self._draft.mark(
                    f"if this calls the handler `{each.handler}`, pass one params object."
                )
        return None

    # --- connections -------------------------------------------------------------------------

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        call = original_node.items[0].item
        if not isinstance(call, cst.Call):
            return updated_node
        reference = self._source.reference(call.func)
        if reference is None or reference.key != "spawn_agent_process":
            return updated_node
        if len(original_node.items) > 1:
            self._leave(reference, call.func)
            return updated_node
        return connections.spawn(self._draft, updated_node)

    def _connected(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        """Replace a call to `connect_to_agent`.

        The call is replaced only if a separate line of an async function assigns its result to a
        variable that doesn't leave the function. Otherwise, the call is marked.
        """
        draft, function = self._draft, self._function
        match self._around[-2:]:
            case [
                cst.SimpleStatementLine(
                    [cst.Assign([cst.AssignTarget(cst.Name(variable))])]
                ) as line,
                cst.Assign(),
            ] if (
                function is not None
                and function.asynchronous is not None
                and line in function.body.body
                and not _is_passed_on(function.body, variable)
            ):
                call = connections.connect(draft, updated)
                self._opened.add(call)
                self._local[function] = variable
                return call
        draft.mark(
            "`connect` is a context manager; see AsyncExitStack in the guide. To send calls"
            " without checking capabilities, use `AgentStub(peer, check_capabilities=False)`."
        )
        draft.kept.add(first_name(original.func))
        return updated

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        for index, statement in enumerate(updated_node.body):
            match statement:
                case cst.SimpleStatementLine(
                    [cst.Assign([cst.AssignTarget(target), *_], cst.Call() as call)]
                ) if (call in self._opened):
                    rest = updated_node.body[index + 1 :]
                    block = connections.within(self._draft, target, call, rest)
                    block = block.with_changes(leading_lines=statement.leading_lines)
                    return updated_node.with_changes(body=[*updated_node.body[:index], block])
        return updated_node


def _is_passed_on(body: cst.CSTNode, name: str) -> bool:
    """Return whether a function returns or yields a variable or assigns it to an attribute.

    The variable can also be part of the value, such as in `return Session(conn)`.
    """
    for node in descendants(body):
        is_ending = isinstance(node, (cst.Return, cst.Yield))
        is_kept = isinstance(node, cst.Assign) and not isinstance(node.targets[0].target, cst.Name)
        value = getattr(node, "value", None) if is_ending or is_kept else None
        if value is not None and name in _passed(value):
            return True
    return False


def _passed(node: cst.CSTNode) -> Iterator[str]:
    """Yield the variables in an expression except in `conn.x` and in calls that are awaited."""
    match node:
        case cst.Name(name):
            yield name
        case cst.Await() | cst.Attribute(value=cst.Name()):
            return
        case cst.Attribute(value=part) | cst.Arg(value=part):
            yield from _passed(part)
        case _:
            for child in node.children:
                yield from _passed(child)
