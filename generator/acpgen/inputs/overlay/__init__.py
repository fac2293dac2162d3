"""The overlay, `schema/overlay`: decisions of this project that are not in any schema."""
