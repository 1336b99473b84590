"""How the package types: what a checker says of a user's script."""
