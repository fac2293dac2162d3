"""Comparison of two schema revisions, with a report of the changes.

The modules are used in this order:

revisions -> matching (of old definitions to new ones) -> compare, acceptance -> report
-> used_by (limits the report to a project), policy (which changes fail) -> report_formats

`bridge_rules` compares the two surfaces of the bridge and derives the rules for converting
messages.
"""
