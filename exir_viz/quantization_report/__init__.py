"""The quantization report: which ops compute in integers, which in float and why. Reads Snapshots as data."""
