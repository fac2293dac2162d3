"""Sources of schema files: local paths, npm packages, URLs and git revisions."""
