"""Names and definitions of the statistics of agreement, and the papers' values. This module imports no Django."""

from collections.abc import Iterable

from nli.gold import OF_ALL, Rule
from schemas.published import column_of

# What each number means; pages show it one click away from the number.
DEFINITIONS = {
    "pairs": "Pairs of the corpus, without withdrawn ones.",
    "pairs_with_all_labels": "Pairs with as many labels as the question has seats. All shares below are over these pairs.",
    "unanimous": "Share of pairs whose labels, including the author's, are all the same.",
    "individual_equals_gold": "Share of single labels that equal the gold label, over pairs with a gold label.",
    "individual_equals_gold_all_pairs": "The same over all pairs: labels of a pair without a gold label count as different.",
    "individual_equals_author": "Share of single labels, including the author's own, that equal the author's label.",
    "gold_equals_author": "Share of pairs whose gold label is the label that the author was asked to write for.",
    "gold_differs_from_author": "Share of pairs that have a gold label other than the author's label.",
    "no_gold": "Share of pairs without a gold label: the votes give none by the question's rule, and nothing else decided.",
    "fleiss_kappa": "Fleiss' kappa over all labels: agreement beyond chance, overall and for each label against the rest.",
    "fleiss_kappa_validators": "Fleiss' kappa over the validators' labels, without the author's.",
    "krippendorff_alpha": "Krippendorff's alpha over the labels of pairs with all labels: nominal, or ordinal if the labels"
    " are ordered.",
    "krippendorff_alpha_all_pairs": "Krippendorff's alpha over every pair with two labels or more, also where some are"
    " missing or the pair's partition has fewer seats.",
    "intervals": "The middle 95% of a thousand replicates. Each replicate draws as many premises (or images) as there"
    " are, with replacement and with all their pairs: the bootstrap over premises, with a fixed seed.",
    "gold_labels": "Share of pairs with this gold label.",
    "gold_sources": "Pairs by the source of their gold label: the votes, a researcher's adjudication, or a label that was"
    " published together with votes and differs from their majority, or that has no majority among them.",
    "splits": "Share of pairs whose votes split in these numbers, the most frequent label first.",
    "individual_equals_gold_by_label": "Of the pairs with this gold label, the share of single labels that equal it.",
    "gold_through_author": "Share of pairs whose gold label the votes give only with the author's vote.",
    "validators_alone": "The same shares over the validators' labels alone; their majority, with the same threshold, takes"
    " the place of the gold label.",
    "pairwise_kappa": "Cohen's kappa of two annotators over the pairs that both labelled, for two who share 31 pairs or"
    " more. If somebody labelled a pair twice, as author and as validator, the first label counts.",
    "author_and_gold": "Pairs by the label that the author was asked to write for and the gold label.",
    "single_premises": "Pairs of several premises, each of which was also judged by itself, by the number of premises"
    " whose label equals the gold label (MPE, Table 4). The label of a premise is its majority; a premise without a"
    " majority never agrees.",
    "majority_of_premises": "Share of these pairs where more than half of the premises' labels equal the gold label.",
    "more_of_premises": "Share of these pairs whose gold label equals this vote: entailment if more premises have it than"
    " contradiction, contradiction if fewer, neutral if equally many.",
    "more_labels": "Labels beyond the seats. They never change the gold label. Entropy is in bits, as the mean over pairs"
    " with such labels. Fleiss' kappa and Krippendorff's alpha are over these labels alone; kappa only if all these pairs"
    " have equally many. They lead to another label if the gold label is not the most frequent among them, nor tied for"
    " that.",
    "self_validated": "Published pairs that their author also validated.",
}
# The rows of the papers' table, in their order.
NAMES = {
    "unanimous": "unanimous gold label",
    "individual_equals_gold": "individual label = gold label",
    "individual_equals_gold_all_pairs": "the same, pairs without gold as different",
    "individual_equals_author": "individual label = author's label",
    "gold_equals_author": "gold label = author's label",
    "gold_differs_from_author": "gold label differs from author's",
    "no_gold": "no gold label",
}


def _shares(paper: str) -> dict[str, float | None]:
    shares = column_of(paper, "agreement", "share")
    return {key: round(float(shares[key]) / 100, 4) if key in shares else None for key in NAMES}


# In shares: SNLI, Table 3, and MultiNLI, Table 2; a figure that neither has is None twice.
PUBLISHED = {key: (snli, _shares("MultiNLI")[key]) for key, snli in _shares("SNLI").items()}


def published_kappas(labels: Iterable[str]) -> dict[str, float]:
    """Returns Fleiss' kappa overall and by label of SNLI, Table 3; {} for other labels."""
    kappas = {key: float(kappa) for key, kappa in column_of("SNLI", "kappa").items()}
    return kappas if kappas.keys() == {"overall", *labels} else {}


CORRECTED = (
    "Fleiss' kappa over all labels: agreement beyond chance. Under the rule majority_of_all, where pairs have different"
    " numbers of labels, Krippendorff's alpha."
)


def corrected_name(rule: Rule) -> str:
    """Returns what nli.agreement.chance_corrected is called."""
    return "Krippendorff’s alpha" if rule.name == OF_ALL else "Fleiss’ kappa"
