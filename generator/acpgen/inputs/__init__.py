"""Input of the generator.

The input consists of files, folders, http(s) URLs, npm packages and git revisions. The output
consists of schema files and the overlay. All problems are raised together, each with a file, a
pointer and advice.
"""
