"""Reads a program that uses the official SDK for Python, without changing it.

In: the sources of its modules. Out: the modules that concern the protocol, even if they never
import the SDK, and the types of their values.

`sources` resolves the names of a module. `survey` finds its handlers and its calls to SDK methods.
A `program` follows imports between modules, and `inference` finds the types of variables,
also through calls of the program's functions.
"""
