"""What holds between messages: capabilities, the order of sessions, and the streams within them.

The rules come from the generated package. A recording may begin or pause within a conversation, so
each rule only counts what the recording shows: it is silent where something may be missing.
"""
