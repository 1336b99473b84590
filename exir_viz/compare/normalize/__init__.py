"""One Snapshot as a comparison reads it: what is the same looks the same, however it is written or kept."""
