"""Changes of a method outside its nodes: how it is called, its signature, state, symbols and memory."""
