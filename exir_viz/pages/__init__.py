"""Pages and pictures made of a Snapshot: files that can be looked at where exir_viz is not installed."""
