"""Python source: quoted text, imports and style."""
