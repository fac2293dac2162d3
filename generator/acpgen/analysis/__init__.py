"""Analysis: builds the intermediate representation.

The input consists of checked schema documents and the overlay. The output consists of surfaces and
of problems, each with a pointer to its location.
"""
