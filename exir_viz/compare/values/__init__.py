"""Values: where the values of two programs diverge when both run on the same inputs."""
