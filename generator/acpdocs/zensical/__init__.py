"""Integration with Zensical: settings, a Markdown dialect, the build and the search."""
