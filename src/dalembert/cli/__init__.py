"""The ``dalembert`` command: one file for each subcommand, ``run.py`` for what they share."""

from .run import main

__all__ = ["main"]
