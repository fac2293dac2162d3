"""Test conversations with the official SDKs over the protocol's remote transports."""
