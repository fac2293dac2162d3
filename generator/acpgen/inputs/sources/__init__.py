"""Sources of schema files: folders, npm, URLs and git revisions."""
