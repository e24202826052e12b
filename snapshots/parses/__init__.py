"""Bracketed trees: read, checked against their sentence, binarised; and derived by rule where a corpus has none.

A checker of snapshots needs `trees` with nothing but the standard library. The model that `parser` loads is for
workers and commands alone.
"""
