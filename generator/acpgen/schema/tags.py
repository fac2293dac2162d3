"""The tags of unions: the member that tells arms apart, and what an arm is for."""

from __future__ import annotations

from acpgen.schema.nodes import Choice, Node


class TagError(Exception):
    """Raised when the tag of a union is unclear; the message says what to do."""


def infer_tag(choice: Choice) -> str | None:
    """The member whose constants distinguish the arms of a union; None if no arm has a constant.

    Raises:
        TagError: no member or several members could be the tag, or two arms share a value.
    """
    tagged = [arm.tags for arm in choice.arms if arm.tags]
    stated = choice.owner.stated
    if not tagged and "discriminator" in stated:
        raise TagError("the discriminator is not a constant in any arm; add it to each arm")
    if not tagged:
        return None
    common = [name for name in tagged[0] if all(name in tags for tags in tagged)]
    named = stated.get("discriminator", {}).get("propertyName")
    if named is not None:
        if named not in common:
            raise TagError(f"the discriminator {named!r} is not a constant in every arm; fix it")
        common = [named]
    if len(common) != 1:
        candidates = ", ".join(map(repr, common)) or "none"
        problem = f"cannot tell which member is the tag (found {candidates})"
        raise TagError(f"{problem}; name a discriminator")
    [tag] = common
    values = [tags[tag] for tags in tagged]
    twice = sorted({value for value in values if values.count(value) > 1})
    if twice:
        raise TagError(f"several arms have the tag {twice[0]!r}; give each its own")
    return tag


def excluded_tags(arm: Node, tag: str) -> set[str] | None:
    """The tags that an arm's `not` excludes; None if this is not the arm for all other tags."""
    member = arm.properties.get(tag)
    if member is None or tag not in arm.required or member.assertions != {"type": "string"}:
        return None
    if not isinstance(arm.stated.get("not"), dict):
        return None
    excluded: set[str] = set()
    for case in arm.negated:
        value = case.tags.get(tag)
        if value is None or not _says_no_more(case, tag):
            return None
        excluded.add(value)
    return excluded


def _says_no_more(case: Node, tag: str) -> bool:
    """Whether an object schema says nothing but that the tag is a constant."""
    return (
        case.assertions.keys() <= {"type", "properties", "required"}
        and list(case.properties) == list(case.required) == [tag]
        and case.properties[tag].assertions.keys() <= {"type", "const", "enum"}
    )


def is_for_others(arm: Node, tag: str) -> bool:
    """Whether an arm is for all tags that the others do not have."""
    return excluded_tags(arm, tag) is not None


def allows_no_tag(arm: Node, tag: str) -> bool:
    """Whether an arm allows the tag to be null or absent, and nothing else."""
    member = arm.properties.get(tag)
    return member is not None and member.is_null and tag not in arm.required


def without_tag(arm: Node, tag: str) -> Node:
    """An arm without its tag, and without the rule that excludes the tags of other arms."""
    dropped = {"title", "additionalProperties", "unevaluatedProperties"}
    if is_for_others(arm, tag):
        dropped.add("not")
    if tag not in arm.properties:
        return arm.without(dropped)
    stated = arm.stated["properties"]
    properties = {name: member for name, member in stated.items() if name != tag}
    required = [name for name in arm.required if name != tag]
    if not properties and not required:
        return arm.without(dropped | {"properties", "required"})
    return arm.without(dropped, properties=properties, required=required)
