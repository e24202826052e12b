"""The dimensions by which predictions are broken down."""

# Dimension -> what its values are. Pairs without a value are left out of it.
DIMENSIONS = {
    "label": "gold label",
    "predicted": "predicted label: with the gold labels, the confusion matrix",
    "confidence": "probability of the predicted label: with the accuracy, the calibration",
    "genre": "genre",
    "matched": "genre seen in training (matched) or not (mismatched)",
    "premise_length": "tokens of the premise",
    "hypothesis_length": "tokens of the hypothesis",
    "seen": "hypothesis seen in training or not",
    "author": "author of the hypothesis",
    "prompt_version": "version of the prompt",
    "agreement": "how the annotators' labels are split",
    "entropy": "entropy of the annotators' labels, in bits",
    "single_premises": "single premises whose label is the gold label (MPE, Table 7)",
    "semantic_type": "data set of the recast annotations (DNC)",
    "property": "templated property (DNC)",
    "tag": "annotation tag, key words as words (MultiNLI, Table 6)",
    "tag_substring": "annotation tag, key words also inside other words, as the papers count",
    "key_words": "key words of annotation tags, also inside other words",
}
OWN = "file:"  # a dimension of one's own, read from a file


def order_of(dimension: str) -> tuple[int, str]:
    """Returns the sort key of a dimension: the order of DIMENSIONS, then one's own."""
    known = list(DIMENSIONS)
    return (known.index(dimension) if dimension in known else len(known), dimension)
