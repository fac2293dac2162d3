"""Programs that use third-party client libraries, each run in its library's environment."""
