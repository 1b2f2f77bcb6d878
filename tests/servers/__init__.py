"""Chatbots on this machine, reached over real HTTP: one module per protocol, `fixtures.py` starts them."""
