"""The overlay, `schema/overlay`: the decisions of this project that no schema states."""
