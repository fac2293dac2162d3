"""A bridge: carries whole conversations between a client of one protocol version and an agent of
the other, without input or output.
"""
