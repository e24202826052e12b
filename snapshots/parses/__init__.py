"""Derive parse trees by rule for sentences without one, and store them.

Only workers and commands load the model of `spacy_parser`. The trees themselves are in `snapshots/files/trees.py`.
"""
