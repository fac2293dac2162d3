"""Compare one definition with what stands in its place: context -> scalars, records, choices,
unions.
"""
