"""Facts shown on pages that are derived from the IR, because it doesn't state them directly."""
