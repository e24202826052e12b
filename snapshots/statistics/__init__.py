"""Figures over the pairs of a corpus, as the papers count them. No Django, no database.

Every measure takes an iterator of `Pair`s once and keeps counts, never pairs: memory grows with the vocabulary and the
number of genres, not with the corpus. What comes out is plain data (JSON); tables.py lays it out.
"""
