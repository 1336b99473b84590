"""Stages: a program taken from what torch.export gave to what ExecuTorch runs, one step at a time."""
