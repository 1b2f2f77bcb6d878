"""Adversarial security campaigns against chatbots, with an honest verdict per attack."""

from importlib.metadata import version

__version__ = version("sensei-kumite")
