"""The ``dalembert`` command: one file for each of its words, ``run.py`` for what they share."""

from .run import main

__all__ = ["main"]
