"""What every stage uses: problems, pointers, paths, and text as messages show it."""
