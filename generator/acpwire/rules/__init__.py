"""Rules about messages: values, capabilities, the order of sessions, and the streams within them.

`acpgen trace`, `acpgen wrap` and `acpgen conform` share them. Each violation names its requirement.

The rules come from the generated package. A recording may begin or pause within a conversation, so
each rule only counts what the recording shows: it is silent where something may be missing.
"""
