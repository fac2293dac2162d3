"""Facts that the IR does not state directly, derived from surfaces for parts of pages."""
