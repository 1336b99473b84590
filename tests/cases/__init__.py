"""Cases of the rules that exist in Python and in TypeScript; `python -m tests.cases` writes them.

Python writes the answers into the JSON files beside this one. A test fails while they are not what it would
write today, and the tests of the front end read the same files.
"""
