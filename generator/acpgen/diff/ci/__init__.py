"""Judge changes for continuous integration: a report in, verdicts and the forms that services read.

scanning (which names of surfaces Python files use) -> uses (the definitions that these reach)
-> policy (which changes fail) -> formats
"""
