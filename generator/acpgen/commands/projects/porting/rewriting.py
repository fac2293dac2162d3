"""Rewrites a module: asks the other modules for what each node becomes."""

from __future__ import annotations

from typing import cast

import libcst as cst

from acpgen.commands.projects.porting import calls, connections, handlers, imports, values
from acpgen.commands.projects.porting.correspondence.names import find
from acpgen.commands.projects.porting.correspondence.surface import (
    HANDLER,
    INTERFACE,
    SIDES,
    STUB,
    SdkMethod,
    Surface,
)
from acpgen.commands.projects.porting.draft import Draft
from acpgen.commands.projects.porting.sources import (
    SDK,
    Reference,
    Source,
    code_of,
    last_name,
    parse_quoted,
    root_of,
)
from acpgen.commands.projects.porting.survey import CONNECTIONS, Survey, Values, is_passed_on

# The functions of the SDK that are replaced where they are called.
_CALLED = ("run_agent", "connect_to_agent", "spawn_agent_process")


def rewrite(source: Source, survey: Survey, surface: Surface, *, exports: bool) -> bytes:
    """Rewrite a module.

    Args:
        source: the module.
        survey: what is in it.
        surface: the surface that it will use; it notes what it lacks.
        exports: whether other modules import names from it that it does not use itself.
    """
    draft = Draft(surface, set() if survey.is_begun else survey.names)
    changed = source.module.visit(_Rewriter(source, survey, draft))
    exported = survey.exported if not exports else survey.exported | survey.unused
    return imports.replace(draft, changed, exported).bytes


class _Rewriter(cst.CSTTransformer):
    def __init__(self, source: Source, survey: Survey, draft: Draft) -> None:
        super().__init__()
        self._source = source
        self._survey = survey
        self._draft = draft
        self._surface = draft.surface
        self._classes: list[cst.ClassDef] = []
        self._functions: list[cst.FunctionDef] = []
        self._values = Values(source, survey)
        # The calls of `connect`, and the functions in whose block it is open, with the variable.
        self._opened: set[cst.CSTNode] = set()
        self._local: dict[cst.FunctionDef, str] = {}
        self._annotations = 0
        # The nodes around the one that is being left, the innermost last.
        self._around: list[cst.CSTNode] = []

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
        if isinstance(original_node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
            assert isinstance(left, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
            lines = self._draft.end_statement(left.leading_lines)
            if lines is not None:
                return left.with_changes(leading_lines=lines)
        return left

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        is_ours = isinstance(node.module, cst.Name) and node.module.value == SDK
        if is_ours and isinstance(node.names, cst.ImportStar):
            self._draft.mark("name what is imported, and run it again.")
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
        return self._replaced(original_node, updated_node)

    def _replaced(
        self, original: cst.Name | cst.Attribute, updated: cst.BaseExpression
    ) -> cst.BaseExpression:
        reference = self._source.reference(original)
        if reference is None or reference.rest or self._is_called(original, reference.key):
            return updated
        return self.entity(reference, original) or updated

    def entity(self, reference: Reference, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """What stands here for a name of the SDK; None, and a mark, if there is no such name."""
        key, draft = reference.key, self._draft
        if key in CONNECTIONS:
            return draft.of_surface(STUB[CONNECTIONS[key]])
        if key == "RequestError":
            return draft.of_runtime(key)
        if key == "PROTOCOL_VERSION":
            return draft.version()
        type_ = self._surface.type_of(key)
        if type_ is not None:
            return draft.of_surface(type_)
        self._leave(reference, node)
        return None

    def visit_Annotation(self, node: cst.Annotation) -> None:
        self._annotations += 1

    def leave_Annotation(
        self, original_node: cst.Annotation, updated_node: cst.Annotation
    ) -> cst.Annotation:
        self._annotations -= 1
        return updated_node

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        quoted = parse_quoted(original_node) if self._annotations else None
        if quoted is None or not any(self._source.references(quoted)):
            return updated_node
        changed = quoted.visit(_Quoted(self._source, self))
        assert isinstance(changed, cst.BaseExpression), "an expression stays one"
        quote = original_node.quote
        return updated_node.with_changes(value=f"{quote}{code_of(changed)}{quote}")

    def _is_called(self, node: cst.CSTNode, key: str) -> bool:
        parent = self._around[-1]
        row = find(key)
        is_known = key in (*_CALLED, *CONNECTIONS) or (row is not None and bool(row.call))
        return is_known and isinstance(parent, cst.Call) and parent.func is node

    def _leave(self, reference: Reference, node: cst.BaseExpression) -> None:
        """Leave a name of the SDK as it is."""
        # Names of unstable methods and types are on the other surface, which is tried next.
        row = find(reference.key)
        advice = row.advice() if row is not None else "the guide does not know it."
        self._draft.mark(f"{reference.full}: {advice}")
        self._draft.kept.add(root_of(node) or last_name(node))

    # --- classes and functions ---------------------------------------------------------------

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._classes.append(node)

    def leave_ClassDef(
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        self._classes.pop()
        side = self._survey.handlers.get(original_node)
        if side is None:
            return updated_node
        own = self._draft.of_surface(HANDLER[side])
        if not original_node.bases:
            return updated_node.with_changes(
                bases=[cst.Arg(own)], lpar=cst.LeftParen(), rpar=cst.RightParen()
            )
        bases = [
            updated.with_changes(value=own) if self._is_interface(original) else updated
            for original, updated in zip(original_node.bases, updated_node.bases, strict=True)
        ]
        return updated_node.with_changes(bases=bases)

    def _is_interface(self, base: cst.Arg) -> bool:
        reference = self._source.reference(base.value)
        return reference is not None and reference.key in INTERFACE.values()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(node)
        is_handler = self._handled(node) is not None
        self._values.enter(node, is_handler=is_handler)

    def leave_FunctionDef(
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        self._functions.pop()
        self._values.leave()
        method = self._handled(original_node)
        if method is None:
            return updated_node
        if method.name == "on_connect":
            return handlers.on_connect(self._draft, method.side, original_node, updated_node)
        return handlers.handler(self._draft, self._source, method, original_node, updated_node)

    def _handled(self, function: cst.FunctionDef) -> SdkMethod | None:
        """The method that a function of a handler class handles."""
        if not self._classes or function not in self._classes[-1].body.body:
            return None
        side = self._survey.handlers.get(self._classes[-1])
        return None if side is None else self._surface.method(side, function.name.value)

    def leave_Return(self, original_node: cst.Return, updated_node: cst.Return) -> cst.Return:
        value = updated_node.value
        method = self._handled(self._functions[-1]) if self._functions else None
        is_result = method is not None and method.method is not None and not method.is_extension
        if not is_result or not isinstance(value, cst.Dict):
            return updated_node
        assert method is not None, "the method has a result"
        args = [cst.Arg(self._draft.of_surface(method.result)), cst.Arg(value)]
        return updated_node.with_changes(value=cst.Call(self._draft.of_surface("decode"), args))

    # --- expressions -------------------------------------------------------------------------

    def leave_Comparison(
        self, original_node: cst.Comparison, updated_node: cst.Comparison
    ) -> cst.Comparison:
        return values.comparison(self._draft, self._values, updated_node)

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        reference = self._source.reference(original_node.func)
        if reference is not None:
            return self._called(reference, original_node, updated_node)
        func = original_node.func
        if isinstance(func, cst.Attribute):
            function = self._functions[-1] if self._functions else None
            is_local = function is not None and self._local.get(function) == last_name(func.value)
            if is_local and func.attr.value == "close":
                return updated_node.with_changes(func=func.with_changes(value=cst.Name("peer")))
            if func.attr.value == "to_error_obj" and isinstance(func.value, cst.Name):
                return values.error_object(self._draft, func.value)
            method = self._method(func, updated_node)
            if method is not None:
                moved = calls.with_params(self._draft, method, updated_node)
                return updated_node if moved is None else moved
        call = values.dump(self._draft, self._values, updated_node)
        return values.reading(self._draft, self._values, call, self._around[-1])

    def _called(
        self, reference: Reference, original: cst.Call, updated: cst.Call
    ) -> cst.BaseExpression:
        draft, key = self._draft, reference.key
        name = f"{key}.{reference.rest}" if reference.rest else key
        row = find(name)
        if row is not None and row.call:
            expanded = calls.expand(draft, row, updated)
            if expanded is None:
                self._leave(reference, original.func)
            return updated if expanded is None else expanded
        if key == "run_agent":
            return connections.run_agent(draft, updated)
        if key == "connect_to_agent":
            if not self._is_local():
                draft.mark("`connect` is a context manager; see AsyncExitStack in the guide.")
                draft.kept.add(root_of(original.func))
                return updated
            call = connections.connect(draft, updated)
            self._opened.add(call)
            assign = cst.ensure_type(self._around[-1], cst.Assign)
            self._local[self._functions[-1]] = last_name(assign.targets[0].target)
            return call
        if key == "spawn_agent_process" and not isinstance(self._around[-1], cst.WithItem):
            self._leave(reference, original.func)
        type_ = self._surface.type_of(key) if key not in CONNECTIONS else None
        if type_ is None:
            if key in CONNECTIONS:
                draft.mark(f"{reference.full}: `connect` and `serve` make the connection.")
                draft.kept.add(root_of(original.func))
            return updated
        if reference.rest:
            return values.validate(draft, type_, reference.rest, updated)
        return calls.construct(draft, type_, updated)

    def _method(self, func: cst.Attribute, call: cst.Call) -> SdkMethod | None:
        """The method of the SDK that a call is of, by its receiver or else its arguments."""
        name, receiver = func.attr.value, last_name(func.value)
        if receiver in self._survey.connections:
            method = self._surface.method(self._survey.connections[receiver], name)
            if name == "close":
                self._draft.mark("leaving the block of `connect` closes the connection.")
            elif method is not None and not method.handler:
                self._draft.mark(f"{name}: {method.row.advice()}")
            return method if method is not None and method.handler else None
        is_own = receiver == "self" or (
            isinstance(func.value, cst.Call) and last_name(func.value.func) == "super"
        )
        own = self._survey.handlers.get(self._classes[-1]) if self._classes else None
        if is_own and own is not None:
            method = self._surface.method(own, name)
            return method if method is not None and method.method is not None else None
        given = {arg.keyword.value for arg in call.args if arg.keyword is not None}
        for side in SIDES:
            method = self._surface.method(side, name)
            if method is None or method.method is None or not given:
                continue
            known = {*self._surface.members(method.params), *sum(method.row.params, ())}
            if method.required() <= given <= known and len(given) == len(call.args):
                return method
        return None

    # --- connections -------------------------------------------------------------------------

    def leave_With(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        call = original_node.items[0].item
        reference = self._source.reference(call.func) if isinstance(call, cst.Call) else None
        if reference is None or reference.key != "spawn_agent_process":
            return updated_node
        if len(original_node.items) > 1:
            self._leave(reference, cast(cst.Call, call).func)
            return updated_node
        return connections.spawn(self._draft, original_node, updated_node)

    def _is_local(self) -> bool:
        """Whether the call is for a variable of an async function, and nobody else gets it."""
        assign = self._around[-1]
        if not isinstance(assign, cst.Assign) or len(assign.targets) != 1 or not self._functions:
            return False
        target, function = assign.targets[0].target, self._functions[-1]
        if function.asynchronous is None or not isinstance(target, cst.Name):
            return False
        is_at_its_top = any(assign in each.children for each in function.body.body)
        return is_at_its_top and not is_passed_on(function.body, target.value)

    def leave_IndentedBlock(
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        for index, statement in enumerate(updated_node.body):
            if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
                continue
            assign = statement.body[0]
            if isinstance(assign, cst.Assign) and assign.value in self._opened:
                call = cst.ensure_type(assign.value, cst.Call)
                rest = updated_node.body[index + 1 :]
                target = assign.targets[0].target
                block = connections.within(self._draft, target, call, rest)
                block = block.with_changes(leading_lines=statement.leading_lines)
                return updated_node.with_changes(body=[*updated_node.body[:index], block])
        return updated_node


class _Quoted(cst.CSTTransformer):
    """Replaces the names of the SDK in a quoted annotation."""

    def __init__(self, source: Source, rewriter: _Rewriter) -> None:
        super().__init__()
        self._source = source
        self._rewriter = rewriter

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        return self._replaced(original_node, updated_node)

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        return self._replaced(original_node, updated_node)

    def _replaced(
        self, original: cst.Name | cst.Attribute, updated: cst.BaseExpression
    ) -> cst.BaseExpression:
        reference = self._source.quoted_reference(original)
        if reference is None or reference.rest:
            return updated
        return self._rewriter.entity(reference, original) or updated
