"""Calling language models; in this release only the offline provider, which needs none."""
