"""What differs between two revisions of the schema, on the intermediate representation.

revisions -> matching (which definition has become which) -> compare -> report
"""
