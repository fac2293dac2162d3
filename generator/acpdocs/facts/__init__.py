"""Facts that must be derived for the pages, because the IR doesn't contain them directly."""
