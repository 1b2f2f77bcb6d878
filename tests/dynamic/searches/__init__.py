"""Tests of the built-in searches."""
