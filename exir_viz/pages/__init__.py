"""Pages and pictures made from a Snapshot: files to view where exir_viz is not installed."""
