"""Analysis: builds the intermediate representation.

The input is checked schema documents and the overlay. The output is surfaces, and problems with
their pointers.
"""
