"""Programs that use third-party client libraries. Each runs in its library's environment."""
