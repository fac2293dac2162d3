"""The generator's input.

The modules read schema files and the overlay from files, folders, http(s) URLs, npm packages and
git revisions. All problems are raised together, each with a file, a pointer and advice.
"""
