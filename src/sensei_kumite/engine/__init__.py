"""Runs a campaign: plans its cases, executes them on lanes, and journals what became of each."""
