"""The built-in searches, one per file, named as in YAML."""
