"""The three ways in: live programs, `.pt2` archives and `.pte` files, each to a Snapshot.

`live` and what it imports needs torch; the readers of files do not, and never execute what they read.
"""
