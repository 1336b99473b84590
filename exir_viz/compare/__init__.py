"""Comparing two Snapshots: what matches what, and what changed. Plain data from Snapshots alone."""
