"""Filters for new premises. Nothing in here imports Django. `registry.py` lists them in their order."""
