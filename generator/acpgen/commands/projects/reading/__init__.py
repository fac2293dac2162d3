"""Reads a program that uses the official SDK for Python, without changing it.

In: the sources of its modules. Out: the modules that have to do with the protocol, also those that
never import the SDK, and the types of their values.

`sources` knows what a module means by its names, `survey` which handlers it has and which methods
of the SDK it calls. A `program` follows imports from one module to another, and `inference` finds
the types of variables, also through calls of the program's functions.
"""
