"""Measure and judge submitted PyTorch code. Imports no Django; runs from the command line by itself."""

VERSION = "1"
"""Stored with every verdict; raise it when a change of the grader can change a verdict."""
