"""Published figures of the papers, in percent."""

# MPE paper, Table 6: the whole test set, then entailment, neutral, contradiction.
MPE_ALONE = {
    "conditional_lstm": "53.5 (63.1, 39.2, 53.5)",
    "sum_of_experts": "56.3 (61.3, 30.2, 66.5)",
    "word_attention": "53.9 (48.3, 30.6, 71.2)",
    "hypothesis_only": "42.4",  # Hypothesis Only paper, Table 2
}
MPE_SNLI_ONLY = {"conditional_lstm": "52.6", "sum_of_experts": "55.9", "word_attention": "55.0"}
MPE_AFTER_SNLI = {
    "conditional_lstm": "60.4 (65.1, 40.9, 67.2)",
    "sum_of_experts": "60.0 (65.4, 42.7, 65.1)",
    "word_attention": "64.0 (75.9, 32.8, 71.5)",
}

# MPE paper, section 5.2 and Table 7: (share of dev, then LSTM, SE and attention after SNLI) by premises that agree.
VOTING = {"more": "41.7", "most": "34.6"}
BY_PREMISES = ("21.8", "26.9", "16.7", "24.8", "9.8")
MPE_BY_PREMISES = {
    "conditional_lstm": ("57.3", "57.6", "60.5", "67.1", "63.3"),
    "sum_of_experts": ("59.6", "58.0", "63.3", "62.9", "66.3"),
    "word_attention": ("65.6", "57.6", "62.9", "68.3", "70.4"),
}

# SNLI paper, Table 6; MultiNLI paper, Table 4; Hypothesis Only paper, Table 2. InferSent is in none for SNLI.
SNLI = {
    "hypothesis_only": "69.0",
    "cbow": "80.6",
    "bilstm": "81.5",
    "esim": "86.7",
    "sum_of_words": "75.3",
    "rnn": "72.2",
    "lstm": "77.6",
}

# SNLI paper, Table 6: on the training pairs.
SNLI_TRAIN = {"sum_of_words": "79.3", "rnn": "73.1", "lstm": "84.8"}

# MultiNLI paper, Table 5: SNLI, then the genres.
GENRES = (
    "fiction", "travel", "government", "telephone", "slate", "facetoface", "oup", "letters", "nineeleven", "verbatim",
)  # fmt: skip
BY_GENRE = {
    "snli": (73.9, 47.1, 47.0, 46.2, 48.1, 44.6, 47.3, 44.4, 46.2, 46.4, 45.9),
    "fiction": (51.4, 65.2, 55.1, 54.4, 58.3, 54.2, 58.8, 53.0, 57.1, 55.5, 54.3),
    "travel": (46.7, 54.3, 63.4, 56.5, 54.6, 51.7, 56.5, 55.5, 62.5, 55.0, 54.9),
    "government": (44.8, 55.4, 55.4, 65.0, 56.7, 55.2, 58.9, 60.0, 63.8, 55.1, 56.9),
    "telephone": (47.8, 59.3, 56.3, 55.9, 62.2, 53.5, 63.0, 54.9, 59.3, 53.0, 55.3),
    "slate": (47.4, 58.4, 57.4, 58.3, 56.9, 56.9, 58.5, 55.9, 59.9, 55.6, 57.2),
}

# SNLI paper, Table 7: train, test.
SICK = {"SNLI alone": ("42.0", "46.7"), "SICK alone": ("100.0", "71.3"), "SNLI, then SICK": ("99.9", "80.8")}

# DNC paper, Table 3: (sentiment, verbnet) by what was learnt from first, and how it went on.
DNC = {
    ("infersent", "", ""): (50.00, 46.34),
    ("infersent", "dnc", "update"): (81.00, 76.83),
    ("infersent", "dnc", "fixed"): (77.33, 67.68),
    ("infersent", "multinli", "update"): (83.50, 78.05),
    ("infersent", "multinli", "fixed"): (56.50, 45.73),
    ("hypothesis_only", "", ""): (50.00, 46.34),
    ("hypothesis_only", "dnc", "update"): (46.83, 68.90),
    ("hypothesis_only", "dnc", "fixed"): (48.17, 59.15),
    ("hypothesis_only", "multinli", "update"): (49.33, 68.29),
    ("hypothesis_only", "multinli", "fixed"): (50.00, 48.78),
}

# DNC paper, Table 3, *fixed*, of the sets whose train parts are not at hand: EF, Puns, GAR, RE.
DNC_FIXED = {
    ("infersent", "dnc"): (81.07, 87.76, 50.65, 74.11),
    ("infersent", "multinli"): (54.88, 56.04, 50.65, 66.75),
    ("hypothesis_only", "dnc"): (69.74, 56.44, 50.00, 65.97),
    ("hypothesis_only", "multinli"): (66.33, 60.59, 50.43, 52.96),
}

# MultiNLI paper, Table 4: SNLI, matched, mismatched.
REGIMES: dict[tuple[str, str], tuple[float | None, ...]] = {
    ("cbow", "SNLI"): (80.6, None, None),
    ("cbow", "MultiNLI"): (51.5, 64.8, 64.5),
    ("cbow", "MultiNLI + SNLI"): (74.7, 66.2, 64.6),
    ("bilstm", "SNLI"): (81.5, None, None),
    ("bilstm", "MultiNLI"): (50.8, 66.9, 66.9),
    ("bilstm", "MultiNLI + SNLI"): (74.0, 67.5, 67.1),
    ("esim", "SNLI"): (86.7, None, None),
    ("esim", "MultiNLI"): (60.7, 72.3, 72.1),
    ("esim", "MultiNLI + SNLI"): (79.7, 72.4, 71.9),
}

# Hypothesis Only paper, Table 2 (MultiNLI: matched dev), DNC paper, Table 3: hypothesis-only and majority, by partition.
HYPOTHESES = {
    "snli": {"dev": (69.17, 33.82), "test": (69.00, 34.28)},
    "mpe": {"dev": (40.20, 40.20), "test": (42.40, 42.40)},
    "sick": {"dev": (56.76, 56.76), "test": (56.87, 56.87)},
    "multinli": {"dev": (55.52, 35.45)},
    "joci": {"dev": (61.64, 57.74), "test": (62.61, 57.26)},
    "sentiment": {"test": (50.00, 50.00)},
    "verbnet": {"test": (46.34, 53.66)},
}

# SNLI paper, Figure 4: test accuracy of the lexicalized classifier, as we read it by tens from 1 pair up.
FIGURE_4 = {1: "33.33", 10: "40.08", 100: "47.63", 1000: "57.72", None: "67.42 (10,000)"}
