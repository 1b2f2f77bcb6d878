"""The commands people type. Nothing imports this package."""
