"""The benchmark: `make bench` prints every number that the README and the docs quote."""
