"""The places that schema files come from: folders, npm, addresses and git revisions."""
