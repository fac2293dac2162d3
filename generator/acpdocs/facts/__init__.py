"""Facts of a page that the IR does not state directly. In: surfaces. Out: parts of pages."""
