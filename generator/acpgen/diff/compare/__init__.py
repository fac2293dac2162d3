"""Find the changes between two matched surfaces, one module for each kind of thing compared."""
