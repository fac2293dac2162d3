"""Two surfaces and the decisions of the overlay -> rules that carry messages between them.

decisions -> comparing (one definition) -> deriving (all of one direction), methods, coverage ->
bridging (both directions)
"""
