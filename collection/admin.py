"""Registers the lists of each room in the admin."""

from collection.corpora import admin as corpora
from collection.joining import admin as joining
from collection.premises import admin as premises
from collection.writing import admin as writing

__all__ = ["corpora", "joining", "premises", "writing"]
