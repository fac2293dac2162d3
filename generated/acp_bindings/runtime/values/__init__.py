# Made by acpgen 0.1.0 from templates/runtime/values/__init__.py.
# Do not edit it; make it again with acpgen.

"""Typed values: records, `UNSET`, decoders, encoders and JSON text.

In: parsed JSON or its text. Out: records and plain values, and back. Needs no other folder.
"""
