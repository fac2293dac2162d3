"""Typed values: records, `UNSET`, decoders, encoders and JSON text.

In: parsed JSON or its text. Out: records and plain values, and back. Needs no other folder.
"""
