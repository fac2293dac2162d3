"""Two surfaces and the decisions of the overlay -> rules that carry messages between them."""
