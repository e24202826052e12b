"""The dimensions by which predictions are broken down."""

# Dimension -> what its values are. Pairs without a value are left out of it.
DIMENSIONS = {
    "label": "gold label",
    "predicted": "predicted label",
    "confidence": "probability of the predicted label",
    "genre": "genre",
    "matched": "genre seen in training (matched) or not (mismatched)",
    "premise_length": "tokens of the premise",
    "hypothesis_length": "tokens of the hypothesis",
    "seen": "hypothesis seen in training or not",
    "author": "author of the hypothesis",
    "prompt_version": "version of the prompt",
    "arm": "arm of the prompt",
    "agreement": "how all labels of people are split, those beyond the seats among them",
    "entropy": "entropy of all labels of people, in bits, those beyond the seats among them",
    "agreement_extra": "how the labels beyond the seats are split, as ChaosNLI's hundred",
    "entropy_extra": "entropy of the labels beyond the seats, in bits (ChaosNLI)",
    "single_premises": "single premises whose label is the gold label (MPE, Table 7)",
    "semantic_type": "data set of the recast annotations (DNC)",
    "property": "templated property (DNC)",
    "approach": "how the annotations were recast (DNC)",
    "tag": "annotation tag, key words as words (MultiNLI, Table 6)",
    "tag_substring": "annotation tag, key words also inside other words, as the papers count",
    "key_words": "key words of annotation tags, also inside other words",
    "marked": "marked by phenomenon, with one or without",
}
SET = "set"  # named sets of pairs: they change, so that nothing about them is stored with a run
MARKED, APPROACH = "marked", "approach"
OWN = "file:"  # a dimension of one's own, read from a file
PHENOMENON = f"{OWN}phenomenon"  # marked on the pages of a snapshot, or read from a file


def definition_of(dimension: str) -> str:
    """Returns the definition of a dimension's values, also of a user-defined one."""
    if dimension == PHENOMENON:
        return "phenomenon, marked by hand"
    if dimension == SET:
        return "set of pairs"
    return DIMENSIONS.get(dimension, f"value in the file {dimension.removeprefix(OWN)}")


def order_of(dimension: str) -> tuple[int, str]:
    """Returns the sort key of a dimension: the order of DIMENSIONS, then user-defined ones."""
    known = list(DIMENSIONS)
    return (known.index(dimension) if dimension in known else len(known), dimension)
