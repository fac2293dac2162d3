"""Input of the generator.

The input is files, folders, http(s) URLs and npm packages. The output is schema files and the
overlay. All problems are raised together, each with a file, a pointer and advice.
"""
