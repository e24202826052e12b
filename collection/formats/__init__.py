"""Readers of published files of pairs. Nothing in here imports Django. `registry.py` lists the formats."""
