"""The overlay, `schema/overlay`, which contains this project's additions to the schemas."""
