"""The explorer in a notebook: a widget that sends a Snapshot to the page without interpreting it."""
