"""Take a program from torch.export to ExecuTorch's runtime, one step at a time."""
