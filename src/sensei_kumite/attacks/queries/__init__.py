"""Weighted query files: reading them, filling in their variables, and naming the cases they make."""
