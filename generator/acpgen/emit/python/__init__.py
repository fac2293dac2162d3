"""Python source: quotes text, adds imports and formats modules."""
