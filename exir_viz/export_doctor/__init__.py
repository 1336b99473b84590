"""The export doctor: what keeps torch.export from exporting a module. See `exir_viz.doctor`."""
