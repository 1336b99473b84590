"""Compare two Snapshots: which nodes match, and what changed. It reads Snapshots only and returns plain
data.
"""
