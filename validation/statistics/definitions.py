"""What the figures of agreement are called and mean, and what the papers found. No Django in here."""

# What each number means, in one sentence; shown one click away from it.
DEFINITIONS = {
    "pairs": "Pairs of the corpus that stand (withdrawn ones are left out).",
    "pairs_with_all_labels": "Pairs whose seats are all filled; every share below is over these.",
    "unanimous": "Share of pairs on which all labels, the author's among them, are the same.",
    "individual_equals_gold": "Share of single labels that equal the gold label, over pairs that have a gold label.",
    "individual_equals_gold_all_pairs": "The same, counting every label of a pair without gold as a miss.",
    "individual_equals_author": "Share of single labels, the author's own among them, that equal the author's label.",
    "gold_equals_author": "Share of pairs whose gold label is the label that the author was asked to write for.",
    "gold_differs_from_author": "Share of pairs that have a gold label, and it is not the author's.",
    "no_gold": "Share of pairs on which no label reaches the threshold of votes.",
    "fleiss_kappa": "Fleiss' kappa over all labels: agreement beyond chance, overall and for each label against the rest.",
    "fleiss_kappa_validators": "Fleiss' kappa over the validators' labels alone, the author's left out.",
    "krippendorff_alpha": "Krippendorff's alpha over the same labels, those of pairs with all labels alone: nominal, or"
    " ordinal where the labels are ordered.",
    "intervals": "95% of a thousand replicates, each with as many premises (or images) as there are, drawn anew"
    " with all their pairs: the bootstrap over premises, by a fixed seed.",
    "gold_labels": "Share of pairs with this gold label.",
    "gold_sources": "Pairs by where their gold label is from: the votes, a researcher's adjudication, or a label that"
    " was published beside its votes and differs from them, or where they have no majority.",
    "splits": "Share of pairs whose votes fall in these numbers, the most frequent label's first.",
    "individual_equals_gold_by_label": "Of the pairs with this gold label, the share of single labels that equal it.",
    "gold_through_author": "Share of pairs whose gold label has the threshold of votes only with the author's own.",
    "validators_alone": "The same shares over the validators' labels, with their majority, of the same threshold,"
    " in the place of the gold label.",
    "pairwise_kappa": "Cohen's kappa of two people over the pairs that both labelled, each once: of an author who also"
    " validated the own pair the first label counts. From 31 shared pairs on.",
    "author_and_gold": "Pairs by the label that the author was asked to write for and the gold label.",
    "single_premises": "Pairs of several premises, each of which was also judged by itself, by how many of these labels"
    " equal the gold label (MPE, Table 4). A premise's label is its majority; one without a majority agrees with nothing.",
    "majority_of_premises": "Share of these pairs where more than half of the premises' labels equal the gold label.",
    "more_of_premises": "Share of these pairs whose gold label is had so: entailment where more premises have it than"
    " contradiction, contradiction where fewer, else neutral.",
    "more_labels": "Labels beyond those that decide gold, which they never change. Entropy in bits, the mean over"
    " pairs with such labels; the label is another one where the gold label is not the most frequent among them, nor one"
    " of several that are.",
    "self_validated": "Published pairs whose author is also among the validators.",
}
# The papers' table, row by row, in their order.
NAMES = {
    "unanimous": "unanimous gold label",
    "individual_equals_gold": "individual label = gold label",
    "individual_equals_gold_all_pairs": "the same, pairs without gold as misses",
    "individual_equals_author": "individual label = author's label",
    "gold_equals_author": "gold label = author's label",
    "gold_differs_from_author": "gold label differs from author's",
    "no_gold": "no gold label",
}
# SNLI Table 3 (also MultiNLI Table 2) and MultiNLI Table 2, in shares.
PUBLISHED: dict[str, tuple[float | None, float | None]] = {
    "unanimous": (0.583, 0.582),
    "individual_equals_gold": (0.890, 0.887),
    "individual_equals_author": (0.858, 0.852),
    "gold_equals_author": (0.912, 0.926),
    "gold_differs_from_author": (0.068, 0.056),
    "no_gold": (0.020, 0.018),
}
