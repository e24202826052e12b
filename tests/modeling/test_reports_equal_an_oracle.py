"""Every cell of every result table, computed a second time from the lines of snapshots and the predictions of runs.

What a paper's row and column mean is written down here once more, by hand: which runs, which pairs, which figure. Nothing
below asks `modeling.reports` for it.
"""

import csv
import functools
import hashlib
import io
import json
import random
import statistics
from collections import Counter
from itertools import product
from unittest.mock import patch

import pytest

from collection.models import Pair
from modeling.folders import evaluation_folder, folder_of, predictions_in
from modeling.marking.actions import begin_marking, count_marks, mark
from modeling.models import TrainingRun
from modeling.reports.definitions import TABLES
from modeling.results.actions import record_evaluation
from modeling.results.breakdowns import store_breakdowns
from modeling.running.actions import record_result
from nli.lines import MANIFEST, PARTITION_FILES
from shared.numbers import percent
from snapshots.models import Snapshot
from snapshots.statistics.tags import KEY_WORDS, NAMES
from tests.cast import people
from tests.commands import run as command
from tests.made_once import made_once
from tests.modeling.material import a_run, claimed, metrics
from tests.snapshots.material import add_genre, add_pair, add_premises, corpus_of, freeze, label_pairs, lines

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent"), pytest.mark.thorough]

PARTS = ("train", "dev", "test")
LABELS = ("entailment", "neutral", "contradiction")
TWO = {"entailment": "entailed", "neutral": "not-entailed", "contradiction": "not-entailed"}
NAMED = ("alpha@1", "beta@1")
A, B = 0, 1
SEEDS = (1, 2)
READERS = {"LSTM": "conditional_lstm", "Sum of experts": "sum_of_experts", "Attention": "word_attention"}
WITH_ATTENTION = {**READERS, "Sum of experts with attention": "attentive_experts"}
NEURAL = {"CBOW": "cbow", "BiLSTM": "bilstm", "ESIM": "esim"}
LEXICAL = ("hypothesis_ngrams", "cross_unigrams", "cross_bigrams")
UNLEXICALIZED = dict.fromkeys(LEXICAL, "false")
SAMPLE, DROPOUT = 0.15, {"dropout": "0.2"}
COLLAPSED, COLLAPSE = "in two classes", {"collapse": True}


# What there is: two snapshots, and runs by what they learnt.


def two_snapshots() -> list[Snapshot]:
    """Makes the snapshots: genres of which training lacks one, metadata, pairs without gold, labels of single premises."""
    return [_snapshot("alpha", 9, "verse"), _snapshot("beta", 12, "")]


def _snapshot(slug: str, premises: int, held_out: str) -> Snapshot:
    drawn = random.Random(slug)
    corpus = corpus_of(premises, slug=slug, dev=6, test=6)
    more = [f"They believe {'so ' * number}in not {slug}." for number in range(3)]
    found = add_premises(corpus, more)
    if held_out:
        add_genre(corpus, held_out, in_training=False)
        words = ("hail", "snow", "ash", "soot", "dust", "leaves", "sand", "stars")
        found += add_premises(corpus, [f"Rain and {word} fall." for word in words], genre=held_out)
    undecided = [add_pair(one, "n", f"{number} is open.") for number, one in enumerate(found[:2])]
    split = [add_pair(one, "n", "Some agree.") for one in found[2:5]]
    label_pairs([*((pair, "eencc") for pair in undecided), *((pair, "nennn") for pair in split)])
    for number, pair in enumerate(Pair.objects.filter(corpus=corpus).order_by("pk")):
        sets = {"corpus": drawn.choice(("VerbNet", "SemEval"))}
        how = {"creation-approach": drawn.choice(("automatic", "manual"))} if number % 3 else {}
        pair.metadata = {**sets, **how, "misc": {"property": drawn.choice(("aware", "moved")), "xtag": "0"}}
        pair.save(update_fields=["metadata"])
    snapshot = Snapshot.objects.select_related("corpus").get(pk=freeze(corpus).pk)
    _judge_single_premises(snapshot, drawn)
    return snapshot


def _judge_single_premises(snapshot: Snapshot, drawn: random.Random) -> None:
    manifest = json.loads((snapshot.folder / MANIFEST).read_text())
    asked = {"question": "each", "wording": "", "seats": 3, "threshold": 2}
    manifest["corpus"]["single_premises"] = asked
    texts = {}
    for part in PARTS:
        judged = [
            {**line, "single_premise_labels": [drawn.choices(LABELS, k=3) for _ in range(4)]}
            for line in lines(snapshot, part)
        ]
        name = PARTITION_FILES[part]
        texts[name] = "".join(json.dumps(line) + "\n" for line in judged)
        manifest["files"][name]["sha256"] = hashlib.sha256(texts[name].encode()).hexdigest()
    for name, text in {**texts, MANIFEST: json.dumps(manifest)}.items():
        (snapshot.folder / name).chmod(0o600)
        (snapshot.folder / name).write_text(text)


def tags_of_pairs(snapshot: Snapshot, partition: str) -> dict[str, frozenset[str]]:
    """Stands for the tagger."""
    tags = (("pronouns",), ("pronouns", "wh_words"), ("tense_match",), ())
    return {line["pairID"]: frozenset(tags[n % 4]) for n, line in enumerate(lines(snapshot, partition))}


def site() -> tuple[list[Snapshot], dict[tuple[object, ...], list[int]], dict[int, float]]:
    """Returns the snapshots, the runs by what they learnt, and the accuracy of each run on its training pairs."""
    snapshots = two_snapshots()
    runs: dict[tuple[object, ...], list[int]] = {}
    train: dict[int, float] = {}

    def learn(baseline, trained, *how, **fields):
        for seed in SEEDS:
            run = claimed(a_run(snapshots[trained], baseline, seed=seed, **fields))
            runs.setdefault((baseline, trained, *how), []).append(run.pk)
            train[run.pk] = _scored(run, snapshots)

    def after(how, source, baseline, trained):
        for place, seed in enumerate(SEEDS):
            start = {"run": runs[baseline, source][place], "how": how}
            run = claimed(a_run(snapshots[trained], baseline, seed=seed, regime={"start": start}))
            runs.setdefault((baseline, trained, how), []).append(run.pk)
            train[run.pk] = _scored(run, snapshots)

    with patch("modeling.results.pair_values.tags_of_pairs", tags_of_pairs):
        for place in (A, B):
            for name in ("edit_distance", "overlap_classifier", "wordnet_classifier"):
                learn(name, place, COLLAPSED, regime=COLLAPSE)
            learn("lexicalized", place, "unigrams", config={"cross_bigrams": "false"})
            learn("lexicalized", place, "unlexicalized", config=UNLEXICALIZED)
            for name in ("lexicalized", *sorted(ELSEWHERE)):
                learn(name, place)
        for name in ("sum_of_words", "rnn"):
            learn(name, A)
        for name in ("lexicalized", "lstm", "cbow"):
            learn(name, A, 4, regime={"most": 4})
        learn("cbow", A, "fiction", regime={"genre": "fiction"}, config=DROPOUT)
        sample = round(SAMPLE * len(decided(snapshots[B], "train")))
        learn("cbow", B, "sample", regime={"most": sample}, config=DROPOUT)
        for name in NEURAL.values():
            learn(name, A, "mixed", regime={"mixed": [{"snapshot": NAMED[B], "share": SAMPLE}]})
        after("transfer", A, "lstm", B)
        for name in WITH_ATTENTION.values():
            after("update", B, name, A)
        for name in ("infersent", "hypothesis_only"):
            after("update", A, name, B)
        _mark(snapshots[A])
    return snapshots, runs, train


BROKEN_DOWN = {"hypothesis_only", *NEURAL.values(), *READERS.values()}  # by a table
ELSEWHERE = {"lstm", "infersent", "attentive_experts", *BROKEN_DOWN}  # scored on the other snapshot, too


def _scored(run: TrainingRun, snapshots: list[Snapshot]) -> float:
    """Gives a run drawn predictions on its snapshot, and on the other one where a table shows these; their scores and
    breakdowns; and a drawn training accuracy.
    """
    drawn = random.Random(f"{run.baseline}, {run.snapshot_id}, {run.regime}, {run.config}, {run.seed}")
    train = round(drawn.random(), 3)
    two = "collapse" in run.regime
    for snapshot in sorted(snapshots, key=lambda one: one.pk != run.snapshot_id):
        is_own = snapshot.pk == run.snapshot_id
        if not is_own and run.baseline not in ELSEWHERE:
            continue
        parts = ("dev", "test") if is_own else ("train", "test")
        folder = folder_of(run) if is_own else evaluation_folder(run, snapshot, parts)
        folder.mkdir(parents=True, exist_ok=True)
        found = {part: _predict(drawn, snapshot, part, two, predictions_in(folder, part)) for part in parts}
        told = {
            **metrics(),
            **{part: {**metrics()["test"], "accuracy": share} for part, share in found.items()},
        }
        told["train"] = {"accuracy": train, "genres": {}} if is_own else told["train"]
        if is_own:
            record_result(run=run, metrics=told)
        else:
            record_evaluation(run=run, snapshot=snapshot, metrics=told)
        if run.baseline in BROKEN_DOWN:
            tags = run.baseline in NEURAL.values()
            store_breakdowns(run, snapshot, folder, [part for part in parts if part != "train"], tags=tags)
    return train


decided = functools.cache(
    lambda snapshot, part: [one for one in lines(snapshot, part) if one["gold_label"] != "-"]
)


def _predict(drawn, snapshot, part, two, path) -> float:
    skill, rows = drawn.random(), []
    for line in decided(snapshot, part):
        gold = TWO[line["gold_label"]] if two else line["gold_label"]
        names = tuple(dict.fromkeys(TWO.values())) if two else LABELS
        answer = gold if drawn.random() < skill else drawn.choice(names)
        shares = {name: 0.7 if name == answer else 0.3 / (len(names) - 1) for name in names}
        rows.append({"pairID": line["pairID"], "gold": gold, "predicted": answer, "probabilities": shares})
        rows[-1]["genre"] = line["genre"]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return sum(row["gold"] == row["predicted"] for row in rows) / len(rows)


PHENOMENA = ("word equivalence", "mutual exclusion", "rhyme")


def _mark(snapshot: Snapshot) -> None:
    """Lets two people mark most pairs of dev, who do not always agree."""
    drawn = random.Random("marks")
    by = list(people(["one", "two"]).values())
    marking = begin_marking(
        snapshot=snapshot, partition="dev", number=9, phenomena=PHENOMENA, seed=1, by=by[0]
    )
    for pair in marking.pairs.order_by("place"):
        for person in by:
            mark(pair=pair, phenomena=[name for name in PHENOMENA if drawn.random() < 0.7], by=person)
    count_marks(marking=marking)


made = made_once(site)


# How a cell is computed.


class Shown(dict):
    """What a cell of runs shows: `mean`, `spread`, `p`, `against`, `bar` and `runs`."""


class OneOf(tuple):
    """Texts of which any is right, because several are equally common or good."""


def everything(line) -> bool:
    return True


def of_genre(*names):
    return lambda line: line["genre"] in names


class Site:
    def __init__(self, made):
        self.snapshots, self.runs, self.train = made
        self.lines = [
            {part: [one for one in lines(snapshot, part) if one["gold_label"] != "-"] for part in PARTS}
            for snapshot in self.snapshots
        ]
        self.by_key = [
            {line["pairID"]: line for part in PARTS for line in lines(snapshot, part)}
            for snapshot in self.snapshots
        ]
        self.pairs = [
            [
                line
                for name in snapshot.pairs.order_by("pk").values_list("pair__public_id", flat=True)
                if (line := self.by_key[place][name])["gold_label"] != "-"
            ]
            for place, snapshot in enumerate(self.snapshots)
        ]

    def genres(self, on, part):
        return sorted({line["genre"] for line in self.lines[on][part]})

    def right(self, key, on, part, where=everything):
        """Returns, for each seed, whether each chosen pair is answered correctly."""
        found = []
        for number in self.runs[key]:
            run = TrainingRun.objects.get(pk=number)
            snapshot = self.snapshots[on]
            own = run.snapshot_id == snapshot.pk
            folder = folder_of(run) if own else evaluation_folder(run, snapshot, ("train", "test"))
            rows = [json.loads(row) for row in predictions_in(folder, part).read_text().splitlines()]
            chosen = [row for row in rows if where(self.by_key[on][row["pairID"]])]
            found.append([row["predicted"] == row["gold"] for row in chosen])
        return found

    def accuracy(self, key, on=A, part="test", where=everything, *, bars=(), less=None):
        """Returns a cell: mean and spread over seeds, against the better of some bars; or its gain over a share."""
        numbers = self.runs[key]
        if part == "train" and key[1] == on:
            values = [self.train[number] for number in numbers]
        else:
            right = self.right(key, on, part, where)
            if not right[0]:
                return None
            values = [sum(each) / len(each) for each in right]
        if less is not None:
            values = [less(value) for value in values]
        cell = Shown(mean=statistics.mean(values), spread=statistics.stdev(values), runs=sorted(numbers))
        if not bars or part == "train" or less:
            return cell
        against = []
        for bar in bars:
            if bar == "majority":
                name, theirs = bar, self.majority_answers(key, on, part, where)
            else:
                name, theirs = "hypothesis-only", self.right(bar, on, part, where)
            flat = [each for seed in theirs for each in seed]
            against.append((sum(flat) / len(flat), name, paired_p(right, theirs)))
        share, name, p = max(against, key=lambda one: one[0])
        return Shown(cell, p=p, against=name, bar=share)

    def majority_answers(self, key, on, part, where):
        """Returns, for each seed, whether the commonest label is right; of several, the first in their order."""
        chosen = [line["gold_label"] for line in self.lines[on][part] if where(line)]
        names = list(LABELS)
        if COLLAPSED in key:
            chosen, names = [TWO[label] for label in chosen], list(dict.fromkeys(TWO.values()))
        best = max(names, key=chosen.count)
        return [[label == best for label in chosen] for _ in self.runs[key]]

    def golds(self, on, part, where=everything):
        return [line["gold_label"] for line in self.lines[on][part] if where(line)]

    def majority(self, on, part, where=everything, *, two=False):
        golds = [TWO[label] if two else label for label in self.golds(on, part, where)]
        return max(Counter(golds).values()) / len(golds)

    def first(self, on, where, label=""):
        """Returns the first pair, in the order of the freeze, that is chosen and has the label in two classes."""
        found = (one for one in self.pairs[on] if where(one) and label in ("", TWO[one["gold_label"]]))
        return next(found, None)

    def marks(self):
        """Returns the phenomena of each marked pair on which both people agree."""
        found: dict[str, list[set[str]]] = {}
        (marking,) = self.snapshots[A].markings.all()
        for pair in marking.pairs.all():
            seen = [set(one.phenomena) for one in pair.marks.all()]
            found[pair.row.pair.public_id] = seen
        return {name: set.intersection(*seen) for name, seen in found.items()}


def paired_p(ours, theirs):
    """Counts all ways to swap the answers of the two systems on each pair."""
    counts = ([sum(answers) for answers in zip(*each, strict=True)] for each in (ours, theirs))
    differences = [one - other for one, other in zip(*counts, strict=True)]
    moved = [one for one in differences if one]
    reached = abs(sum(differences))
    signed = (zip(signs, moved, strict=True) for signs in product((1, -1), repeat=len(moved)))
    sums = [abs(sum(sign * one for sign, one in each)) for each in signed]
    return sum(one >= reached for one in sums) / len(sums)


def grid(rows, columns, cell):
    return {(row, column): cell(rows[row], columns[column]) for row in rows for column in columns}


# The tables.

MAJORITY = ("majority",)


def snli_4(site):
    systems = {
        "Edit distance based": "edit_distance",
        "Classifier based": "overlap_classifier",
        "+ lexical resources": "wordnet_classifier",
    }
    places = dict(zip(NAMED, (A, B), strict=True))
    return {
        **grid({"Majority": ""}, places, lambda _, on: site.majority(on, "test", two=True)),
        **grid(systems, places, lambda name, on: site.accuracy((name, on, COLLAPSED), on, bars=MAJORITY)),
    }


def snli_5(site):
    rows = {"Lexicalized": (), "Unigrams only": ("unigrams",), "Unlexicalized": ("unlexicalized",)}
    columns = {f"{name} {part}": (on, part) for on, name in enumerate(NAMED) for part in ("train", "test")}
    return grid(
        rows, columns, lambda how, at: site.accuracy(("lexicalized", at[0], *how), *at, bars=MAJORITY)
    )


def snli_6(site):
    rows = {"Sum of words": "sum_of_words", "RNN": "rnn", "LSTM": "lstm"}
    parts = {"train": "train", "test": "test"}
    return grid(rows, parts, lambda name, part: site.accuracy((name, A), A, part, bars=MAJORITY))


def snli_7(site):
    rows = {
        "First snapshot only": ("lstm", A),
        "Second snapshot only": ("lstm", B),
        "First and second (transfer)": ("lstm", B, "transfer"),
    }
    parts = {"train": "train", "test": "test"}
    return grid(rows, parts, lambda key, part: site.accuracy(key, B, part, bars=MAJORITY))


def figure_4(site):
    systems = {
        "Unlexicalized": ("lexicalized", A, "unlexicalized"),
        "Lexicalized": ("lexicalized", A),
        "LSTM": ("lstm", A),
        "cbow": ("cbow", A),
    }

    def cell(size, key):
        if size and "unlexicalized" in key:
            return None
        return site.accuracy((*key, size) if size else key)

    return grid({"4": 4, "all": None}, systems, cell)


def multinli_3(site):
    rows = {NAMED[B]: (B, everything), "all genres": (A, everything)}
    rows |= {genre: (A, of_genre(genre)) for genre in site.genres(A, "test")}

    def words(at):
        on, where = at
        counts = [len(line["sentence1"].split()) + 1 for line in site.by_key[on].values() if where(line)]
        return sum(counts) / len(counts)  # a full stop is a token

    def agreement(at):
        on, where = at
        chosen = [line for line in site.pairs[on] if where(line) and len(line["annotator_labels"]) == 5]
        same = [label == line["gold_label"] for line in chosen for label in line["annotator_labels"]]
        return sum(same) / len(same)

    columns = {
        **{f"{part} pairs": (lambda at, part=part: len(site.golds(at[0], part, at[1]))) for part in PARTS},
        "words a premise": words,
        "S-rooted premises": lambda at: None,
        "S-rooted hypotheses": lambda at: None,
        "agreement": agreement,
        "ESIM": lambda at: site.accuracy(("esim", at[0]), at[0], where=at[1]),
        "CBOW": lambda at: site.accuracy(("cbow", at[0]), at[0], where=at[1]),
    }
    return grid(rows, columns, lambda at, column: column(at))


def matched_and_not(site):
    known = site.genres(A, "train")
    return {
        NAMED[B]: (B, everything),
        "matched": (A, of_genre(*known)),
        "mismatched": (A, lambda line: line["genre"] not in known),
    }


def multinli_4(site):
    rows: dict[str, tuple[object, ...]] = {}
    for title, name in NEURAL.items():
        rows[f"{title}, trained on the second snapshot"] = (name, B)
        rows[f"{title}, trained on the first snapshot"] = (name, A)
        rows[f"{title}, both mixed"] = (name, A, "mixed")
    columns = matched_and_not(site)
    return {
        **grid({"Majority": ""}, columns, lambda _, at: site.majority(at[0], "test", at[1])),
        **grid(rows, columns, lambda key, at: site.accuracy(key, at[0], where=at[1], bars=MAJORITY)),
    }


def multinli_5(site):
    rows = {NAMED[B]: ("cbow", B, "sample"), "fiction": ("cbow", A, "fiction"), "all genres": ("cbow", A)}
    columns = {NAMED[B]: (B, everything)} | {one: (A, of_genre(one)) for one in site.genres(A, "test")}
    return grid(rows, columns, lambda key, at: site.accuracy(key, at[0], where=at[1]))


def multinli_6(site):
    def tagged(on, line):
        words = f"{line['sentence1']}\n{line['sentence2']}".lower()
        inside = {name for name, keys in KEY_WORDS.items() if any(key in words for key in keys)}
        return tags_of_pairs(site.snapshots[on], "dev")[line["pairID"]] | inside

    def where(on, tag):
        return lambda line: tag is None or tag in tagged(on, line)

    def share(on, tag):
        return len(site.golds(on, "dev", where(on, tag))) / len(site.golds(on, "dev"))

    def commonest(tag):
        counts = Counter(site.golds(A, "dev", where(A, tag)))
        most = max(counts.values())
        return OneOf(f"{label} {percent(most / counts.total())}" for label in counts if counts[label] == most)

    seen = {tag for line in site.lines[A]["dev"] for tag in tagged(A, line)}
    rows = {"all pairs": None} | {NAMES[tag]: tag for tag in seen}
    columns = {
        "frequency": lambda tag: share(A, tag),
        f"frequency in {NAMED[B]}": lambda tag: share(B, tag),
        "difference": lambda tag: share(A, tag) - share(B, tag),
        "commonest label": commonest,
        **{
            title: (lambda tag, name=name: site.accuracy((name, A), A, "dev", where(A, tag)))
            for title, name in NEURAL.items()
        },
    }
    return grid(rows, columns, lambda tag, column: column(tag))


def phenomena(site):
    marks = site.marks()
    rows = {"all marked pairs": lambda line: line["pairID"] in marks}
    for name in PHENOMENA:
        rows[name] = lambda line, name=name: name in marks.get(line["pairID"], ())
    return rows


def mpe_5(site):
    texts = {"premise": "sentence1", "hypothesis": "sentence2", "label": "gold_label"}
    columns = {
        "pairs": lambda where: len(site.golds(A, "dev", where)),
        **{label: (lambda where, label=label: site.golds(A, "dev", where).count(label)) for label in LABELS},
        **{title: (lambda where, key=key: site.first(A, where)[key]) for title, key in texts.items()},
    }
    return grid(phenomena(site), columns, lambda where, column: column(where))


def mpe_6(site):
    regimes = {"second snapshot only": (B,), "first snapshot only": (A,), "second, then first": (A, "update")}
    found = grid(regimes, READERS, lambda how, name: site.accuracy((name, *how), bars=MAJORITY))
    for label in LABELS:
        rows = {f"{title}: {label}": how for title, how in regimes.items()}
        where = lambda line, label=label: line["gold_label"] == label  # noqa: E731
        found |= grid(rows, READERS, lambda how, name, where=where: site.accuracy((name, *how), where=where))
    return found


def readers_on_dev(site, readers=READERS, **more):
    """Returns the readers, of the first snapshot alone and after the second one."""

    def cell(*key):
        return lambda where: site.accuracy(key, A, "dev", where, **more)

    alone = {title: cell(name, A) for title, name in readers.items()}
    after = {f"{title}, second then first": cell(name, A, "update") for title, name in readers.items()}
    return alone | after


def mpe_7(site):
    def agreeing(line):
        majorities = [Counter(each).most_common(1)[0] for each in line["single_premise_labels"]]
        return sum(label == line["gold_label"] and count > 1 for label, count in majorities)

    numbers = sorted({agreeing(line) for line in site.lines[A]["dev"]})
    rows = {str(number): (lambda line, number=number: agreeing(line) == number) for number in numbers}
    columns = {
        "share": lambda where: len(site.golds(A, "dev", where)) / len(site.golds(A, "dev")),
        "pairs": lambda where: len(site.golds(A, "dev", where)),
        **readers_on_dev(site),
    }
    return grid(rows, columns, lambda where, column: column(where))


def mpe_8(site):
    columns = {**readers_on_dev(site), "pairs": lambda where: len(site.golds(A, "dev", where))}
    return grid(phenomena(site), columns, lambda where, column: column(where))


def mpe_8_1(site):
    rows = readers_on_dev(site, WITH_ATTENTION, bars=MAJORITY)
    return grid(rows, {"dev": everything}, lambda row, where: row(where))


def hyponly_1(site):
    columns = {
        "creation protocol": lambda on: "elicited",
        "pairs": lambda on: len(site.pairs[on]),
        "labels": lambda on: 3,
        "example hypothesis": lambda on: site.first(on, everything)["sentence2"],
    }
    return grid(dict(zip(NAMED, (A, B), strict=True)), columns, lambda on, column: column(on))


def gains(site, on, part, where=everything, *, bars=MAJORITY):
    share = site.majority(on, part, where)
    key = ("hypothesis_only", on)
    return {
        "hypothesis-only": site.accuracy(key, on, part, where, bars=bars),
        "majority": share,
        "gain": site.accuracy(key, on, part, where, less=lambda value: value - share),
        "gain, relative": site.accuracy(key, on, part, where, less=lambda value: (value - share) / share),
    }


def hyponly_2(site):
    found: dict[tuple[str, str], object] = {}
    for on, name in enumerate(NAMED):
        for part in ("dev", "test"):
            found |= {(name, f"{part} {title}"): cell for title, cell in gains(site, on, part).items()}
        means = {
            key[0]: site.accuracy(key, on)["mean"]
            for key in site.runs
            if key[1:] == (on,) and key[0] != "hypothesis_only"
        }
        best = max(means.values())
        of_best = (baseline for baseline in means if means[baseline] == best)
        found[name, "best model that reads premises"] = OneOf(f"{one} {percent(best)}" for one in of_best)
    return found


def hyponly_3(site):
    def row(label):
        golds = site.golds(A, "dev")
        share = golds.count(label) / len(golds)
        where = lambda line: line["gold_label"] == label  # noqa: E731
        key = ("hypothesis_only", A)
        return {
            "hypothesis-only": site.accuracy(key, A, "dev", where),
            "share of the label": share,
            "gain, relative": site.accuracy(key, A, "dev", where, less=lambda one: (one - share) / share),
            "pairs": golds.count(label),
        }

    return {(label, title): cell for label in LABELS for title, cell in row(label).items()}


def hyponly_4(site):
    found: dict[tuple[str, str], object] = {}
    for value in ("aware", "moved"):
        where = lambda line, value=value: line["metadata"]["misc"]["property"] == value  # noqa: E731
        cells = gains(site, A, "dev", where)
        found |= {(value, title): cell for title, cell in cells.items() if title != "gain"}
    return found


def anywhere(site, key):
    return sorted({key(line) for on in (A, B) for line in site.pairs[on]})


def dnc_1(site):
    columns = {
        f"{label}: {side}": (label, key)
        for label in ("entailed", "not-entailed")
        for side, key in (("context", "sentence1"), ("hypothesis", "sentence2"))
    }

    def cell(genre, wanted):
        label, key = wanted
        found = (site.first(on, of_genre(genre), label) for on in (A, B))
        return next(filter(None, found))[key]

    genres = anywhere(site, lambda line: line["genre"])
    return grid(dict(zip(genres, genres, strict=True)), columns, cell)


def dnc_2(site):
    rows = {genre: ((A, B), of_genre(genre)) for genre in anywhere(site, lambda line: line["genre"])}
    for name in anywhere(site, lambda line: line["metadata"]["corpus"]):
        rows[name] = ((A, B), lambda line, name=name: line["metadata"]["corpus"] == name)
    rows |= {name: ((on,), everything) for on, name in enumerate(NAMED)} | {"combined": ((A, B), everything)}

    def chosen(row):
        return [line for on in row[0] for line in site.pairs[on] if row[1](line)]

    def ways(row):
        found = {line["metadata"].get("creation-approach") for line in chosen(row)} - {None}
        return ", ".join(sorted(found))

    columns = {"pairs": lambda row: len(chosen(row)), "automated": ways}
    return grid(rows, columns, lambda row, column: column(row))


def dnc_3(site):
    found = {("Majority", NAMED[B]): site.majority(B, "test")}
    for title, name in {"InferSent": "infersent", "Hypothesis only": "hypothesis_only"}.items():
        for row, key in (
            (title, (name, B)),
            (f"{title}, pre-trained on {NAMED[A]} (update)", (name, B, "update")),
            (f"{title}, trained on {NAMED[A]} (fixed)", (name, A)),
        ):
            beside = [("hypothesis_only", key[1])] if name == "infersent" else []
            found[row, NAMED[B]] = site.accuracy(key, B, bars=("majority", *beside))
        after, alone = (site.accuracy(key, B) for key in ((name, B, "update"), (name, B)))
        found[f"{title}, pre-trained on {NAMED[A]} (update): points gained", NAMED[B]] = Shown(
            mean=after["mean"] - alone["mean"], runs=sorted([*after["runs"], *alone["runs"]])
        )
        found[f"{title}, pre-trained on {NAMED[B]} (update): points gained", NAMED[B]] = None
        # Others have started from runs on the second snapshot, which cannot come before itself.
        found[f"{title}, pre-trained on {NAMED[B]} (update)", NAMED[B]] = None
        found[f"{title}, trained on {NAMED[B]} (fixed)", NAMED[B]] = None
    return found


ORACLES = {
    function.__name__.replace("_", "-"): function
    for function in (
        *(snli_4, snli_5, snli_6, snli_7, figure_4, multinli_3, multinli_4, multinli_5, multinli_6),
        *(
            mpe_5,
            mpe_6,
            mpe_7,
            mpe_8,
            mpe_8_1,
            hyponly_1,
            hyponly_2,
            hyponly_3,
            hyponly_4,
            dnc_1,
            dnc_2,
            dnc_3,
        ),
    )
}


def test_every_table_has_an_oracle():
    assert ORACLES.keys() == TABLES.keys()


@pytest.mark.parametrize("name", TABLES)
def test_every_cell_equals_what_the_files_of_runs_and_snapshots_say(name, made):
    with patch("modeling.results.pair_values.tags_of_pairs", tags_of_pairs):
        told = command("report", *NAMED, name, "--format", "csv")
    assert told.failure == ""
    rows = list(csv.DictReader(io.StringIO(told.out)))
    corner = next(iter(rows[0]))
    shown = {row[corner].removeprefix("'"): row for row in rows}  # of what spreadsheets would compute
    expected = ORACLES[name](Site(made))
    assert {*shown} == {row for row, _ in expected}
    parts = (" published", " spread", " p", " against", " bar", " other", " runs", " missing")
    assert {title for title in rows[0] if not title.endswith(parts)} - {corner} == {
        one for _, one in expected
    }
    for (row, column), cell in expected.items():
        found = {
            part: shown[row].get(f"{column} {part}") or ""
            for part in ("spread", "p", "against", "bar", "runs")
        }
        found["mean"] = shown[row][column]
        wrong = [part for part, is_right in judged(found, cell) if not is_right]
        assert not wrong, (row, column, wrong, found, cell)


def judged(found, cell):
    """Yields each part of a cell, and whether it is as expected."""
    wanted = cell if isinstance(cell, Shown) else {"mean": cell}
    for part, text in found.items():
        value = wanted.get(part)
        if part == "runs":
            yield part, value is None or text.split() == [str(number) for number in value]
        elif isinstance(value, OneOf):
            yield part, text in value
        elif isinstance(value, int | float):
            yield part, text != "" and float(text) == pytest.approx(value, abs=1e-9)
        else:
            yield part, text == (value or "")
