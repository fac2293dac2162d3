"""Input of the generator.

In: files, folders, http(s) URLs and npm packages. Out: schema documents, each checked
separately, and the overlay. Problems are raised together, each with a file, a pointer and advice.
"""
