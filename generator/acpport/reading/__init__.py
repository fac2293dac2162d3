"""Analysis of a program that uses the official Python SDK.

The analysis finds the modules that use protocol values, including modules that don't import the
SDK, and determines the types of these values.

`sources` resolves the names in a module. `survey` finds the module's handlers and its calls to SDK
methods. `program` follows imports between modules. `inference` finds the types of variables and
follows calls to the program's functions.
"""
