"""What changed of a method beside its nodes: how it is called, its signature, state, symbols and memory."""
