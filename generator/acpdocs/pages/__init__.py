"""Pages about types, methods, capabilities and modules, built from the IR and facts."""
