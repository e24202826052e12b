"""Statistics over the pairs of a snapshot, as the papers count them.

`corpus`, `artifacts` and `tags` need no Django and no database. Each reads an iterator of `Pair`s and stores counts, never
pairs: memory grows with the vocabulary and the number of genres, not with the corpus. The result is plain data (JSON);
The figures (`*_figures.py`) lay it out, and `job` runs it all in a worker.
"""
