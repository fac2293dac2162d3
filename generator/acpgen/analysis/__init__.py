"""Analysis: builds the intermediate representation.

In: checked schema documents and the overlay. Out: surfaces, and problems with their pointers.
"""
