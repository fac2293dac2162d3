"""Comparison of two revisions of the schema: two sets of surfaces in, a report of changes out.

revisions -> matching (of old definitions to new ones) -> compare, acceptance -> report
-> used_by (limits it to a project), policy (which changes fail) -> report_formats, exit_codes

`bridge_rules` compares the two surfaces of the bridge instead, to convert messages.
"""
