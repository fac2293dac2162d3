"""Typed values: records, `UNSET`, decoders, encoders and JSON text.

In: JSON text or parsed JSON. Out: records and plain values; and the other way round. Imports no
other folder of the runtime.
"""
