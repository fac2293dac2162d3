"""Facts for the pages that must be derived, because the IR doesn't state them directly."""
