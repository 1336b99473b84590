"""Export a module with its lines and values watched, and keep what was seen in the Snapshot."""
