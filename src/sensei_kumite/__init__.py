"""Adversarial security campaigns against chatbots, with an honest verdict per attack."""

__version__ = "0.2.0"
