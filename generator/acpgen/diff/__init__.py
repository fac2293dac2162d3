"""Compare two revisions of the schema: two sets of surfaces in, a report of changes out.

revisions -> matching (which old definition is which new one) -> compare -> changes -> report
"""
