"""The tags of unions: the member that tells arms apart, and what an arm is for."""

from __future__ import annotations

from acpgen.schema.nodes import Choice, Node


def find_tag(choice: Choice) -> str | None:
    """The member whose constants tell the arms of a union apart.

    Returns:
        None if there is no such member: no arm has a constant, several members could be the tag,
        two arms share a value, or an arm for other tags does not rule out the tags of the others.
    """
    tagged = [arm.tags for arm in choice.arms if arm.tags]
    if not tagged:
        return None
    common = [name for name in tagged[0] if all(name in tags for tags in tagged)]
    named = choice.owner.stated.get("discriminator", {}).get("propertyName")
    if named is not None:
        common = [name for name in common if name == named]
    if len(common) != 1:
        return None
    [tag] = common
    values = [tags[tag] for tags in tagged]
    others = [names for arm in choice.arms if (names := excluded_tags(arm, tag)) is not None]
    is_told_apart = len(set(values)) == len(values) and len(others) <= 1
    return tag if is_told_apart and all(set(values) <= names for names in others) else None


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
