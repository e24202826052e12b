"""Recasting: makes NLI pairs from annotations of another kind, by small recipes. Imports no Django.

A recipe is one Python file that defines a `Recipe`. Quintet's own are in `recipes/`; researchers have theirs in a
folder of their own. `RecastFormat` turns each into a format of pairs, like those of published files.
"""

from collection.formats.records import Unreadable
from collection.recasting.recipe import Draw, Item, Partition, PassedOver, Recipe

__all__ = ["Draw", "Item", "Partition", "PassedOver", "Recipe", "Unreadable"]
