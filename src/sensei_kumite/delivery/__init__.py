"""How a final prompt reaches the target: one conversation loop, fed by different sources of turns."""
