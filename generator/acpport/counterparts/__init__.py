"""The official SDK's names and their counterparts in the package."""
