"""The explorer in a notebook: a widget that carries a Snapshot and knows nothing of what it means."""
