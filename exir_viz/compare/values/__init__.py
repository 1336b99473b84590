"""Values: where the numbers of two programs part when both are run on the same inputs."""
