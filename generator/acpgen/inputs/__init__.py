"""Read the input of the generator.

In: files, folders, http addresses and npm packages. Out: schema documents, each checked on its
own, and the overlay. Problems are raised together, each with a file, a pointer and what to do.
"""
