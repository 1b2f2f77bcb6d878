"""Measurements: ratios to a bare client taken in one run, never a timed test. `python -m bench`."""
