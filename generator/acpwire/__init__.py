"""What passes between a client and an agent: judged as it happens, or read from a recording.

Needs the generated package, which commands import late. Imports no stage but `common`.
"""
