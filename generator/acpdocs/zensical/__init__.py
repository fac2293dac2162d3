"""The use of Zensical: settings, a dialect of Markdown, the build, and the search."""
