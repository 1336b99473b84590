"""Static and dynamic values: what became of inputs, attributes and variables.

See `exir_viz.python_values`.
"""
