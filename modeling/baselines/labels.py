"""The label schemes, each in index order: the one copy on this side of the process boundary."""

NO_GOLD = "-"  # how files write a pair without a majority; it is never a class

SCHEMES: dict[str, tuple[str, ...]] = {
    "nli3": ("entailment", "neutral", "contradiction"),
    "entailed2": ("entailed", "not-entailed"),
    "ordinal5": ("1", "2", "3", "4", "5"),
    "grammar3": ("none", "minor", "major"),
}
