"""Two surfaces and the decisions of the overlay -> rules that carry messages between them.

decisions -> context -> scalars, records, unions, choices -> deriving (all definitions of one
direction) -> methods, updates, coverage -> bridging (both directions)
"""
