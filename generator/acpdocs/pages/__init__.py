"""The pages: types, methods, capabilities and modules. In: the IR and facts. Out: `content`."""
