"""The custom attack language: files that declare cases. The strategy that runs them is custom_benchmark."""
