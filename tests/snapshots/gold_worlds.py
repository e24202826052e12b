"""Corpora in which each way to a gold label occurs, with the gold label that each pair must have."""

from typing import Any, NamedTuple

from django.utils import timezone

from collection.models import Pair
from nli.gold import DIFFERS, NO_MAJORITY, OF_ALL
from nli.labels import NO_GOLD, SCHEMES
from tests.cast import ana, person, rosa
from tests.corpora import make_corpus, make_pair, make_premise, new_label
from tests.validation.test_single_premises import ask_of_single_premises
from validation.models import Adjudication, Label, PartitionRule, Question

SEATS, FEW = 5, 3
NOTES = {"published+": DIFFERS, "published-": NO_MAJORITY}


class Case(NamedTuple):
    """The labels of a pair, and its gold label by each rule: (label, source), "a voted".

    Letters are labels: a is the scheme's first, m its second, z its last, "." a seat that waits. Beyond the fifth they
    were asked for later. of_all: by majority_of_all, where it differs from majority. few: by the rule unanimous in a
    partition with three seats, of which two equal labels are enough; labels beyond the third were asked for later.
    imported: they came in a file. author: the label that the pair was written for, which is the first of the five as well.
    """

    letters: str
    majority: str
    adjudicated: str
    unanimous: str
    few: str
    of_all: str = ""
    author: str = ""
    published: str = ""
    decided: str = ""
    imported: bool = False


CASES = [
    Case("aaaaa", "a voted", "a voted", "a voted", "a voted"),
    Case("zzzzz", "z voted", "z voted", "z voted", "z voted", author="z"),
    Case("aaaaz", "a voted", "a voted", "- none", "a voted"),
    Case("zzzaa", "z voted", "- none", "- none", "z voted"),
    Case("azzza", "z voted", "- none", "- none", "- none", author="a"),
    Case("aaamm", "a voted", "a voted", "- none", "a voted", author="a"),
    Case("aammz", "- none", "- none", "- none", "- none", author="a"),
    # Seats that wait: a majority is one already, the other rules still depend on them.
    Case("zzz..", "z voted", "- none", "- none", "z voted", of_all="- none"),
    Case("aaa..", "a voted", "a author", "a author", "a voted", of_all="a author", author="a"),
    Case("aa.z.", "a author", "a author", "a author", "a author", author="a"),
    Case("za...", "a published", "a published", "a published", "a published", published="a"),
    Case("zz...", "- none", "- none", "- none", "- none"),
    Case("", "- none", "- none", "- none", "- none"),
    Case("", "z author", "z author", "z author", "z author", author="z"),
    Case("", "a published", "a published", "a published", "a published", published="a"),
    # Labels that came in a file, some of them fewer than five; the label that was published beside them stands.
    Case("aaa", "a voted", "a voted", "a voted", "a voted", imported=True),
    Case("zz", "- none", "- none", "- none", "z voted", of_all="z voted", imported=True),
    Case("aazz", "- none", "- none", "- none", "- none", imported=True),
    Case("zzzzz", "z voted", "z voted", "z voted", "z voted", published="z", imported=True),
    Case(
        "zzzzz", "a published+", "a published+", "a published+", "a published+", published="a", imported=True
    ),
    Case("zzzaa", "z voted", "z published-", "z published-", "z voted", published="z", imported=True),
    Case(
        "zzaa", "z published-", "z published-", "z published-", "z published-", published="z", imported=True
    ),
    Case(
        "zzaa",
        "z published-",
        "z published-",
        "z published-",
        "z published-",
        published="z",
        author="z",
        imported=True,
    ),
    # A researcher's decision goes before all; labels beyond the fifth decide nothing.
    Case("zzzaa", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a"),
    Case(
        "zzaa.", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a", author="z"
    ),
    Case("aaaaazzzz", "a voted", "a voted", "a voted", "a voted"),
    Case("aammzmmmm", "- none", "- none", "- none", "- none", author="a"),
    Case("aaaazaaaa", "a voted", "a voted", "- none", "a voted"),
    Case("aaaaaaz", "a voted", "a voted", "a voted", "a voted", author="a"),
    Case("zzzaaaaaa", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a"),
    Case("zzzzzaaaa", "z voted", "z voted", "z voted", "z voted", published="z", imported=True),
    Case(
        "zzzzzaa",
        "a published+",
        "a published+",
        "a published+",
        "a published+",
        published="a",
        imported=True,
    ),
    Case(
        "aammzzz",
        "z published-",
        "z published-",
        "z published-",
        "z published-",
        published="z",
        imported=True,
    ),
    # Decided, though something was published beside the votes.
    Case(
        "zzzzz",
        "a adjudicated",
        "a adjudicated",
        "a adjudicated",
        "a adjudicated",
        published="z",
        decided="a",
        imported=True,
    ),
    Case("", "a adjudicated", "a adjudicated", "a adjudicated", "a adjudicated", decided="a", author="z"),
]
TEXT = "A dog waits."
FOUR = "A dog waits.\nA man waits.\nTwo dogs.\nA river."
# How three judges label each of four premises by itself, and the label of each; None: a premise lacks a label.
PREMISES = [
    (("aaa", "aam", "zzz", "amz"), "aaz-"),
    (("zzz", "mmm", "mma", "zza"), "zmmz"),
    (("aaa", "aa", "aaa", "aaa"), None),
]
# Rule, scheme of the labels, scheme of the gold label, text of the premises, the partition with few seats, if any (held:
# train, of which the freeze holds a premise out as dev; not a: its votes for a decide nothing), and the formats
# that can hold it.
WORLDS = {
    "majority, three labels": (
        "majority", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "adjudicated, four sentences": ("adjudicated", "nli3", "nli3", FOUR, {"jsonl", "mpe", "parquet"}),
    "adjudicated, one sentence": (
        "adjudicated", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "a scale decides in two, four sentences": ("unanimous", "ordinal5", "entailed2", FOUR, {"jsonl", "parquet"}),
    "unanimous, three labels": (
        "unanimous", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "majority, two labels": ("majority", "entailed2", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, two labels": ("unanimous", "entailed2", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "majority, a scale": ("majority", "ordinal5", "ordinal5", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, a scale": ("unanimous", "ordinal5", "ordinal5", TEXT, {"jsonl", "dnc", "parquet"}),
    "a scale decides in two": ("unanimous", "ordinal5", "entailed2", TEXT, {"jsonl", "dnc", "parquet"}),
    "unanimous, few seats in dev": (
        "unanimous", "nli3", "nli3", TEXT, "dev",
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "two labels, few seats in train": (
        "unanimous", "entailed2", "entailed2", TEXT, "train", {"jsonl", "dnc", "parquet"},
    ),
    "a scale decides in two, few seats in dev": (
        "unanimous", "ordinal5", "entailed2", TEXT, "dev", {"jsonl", "dnc", "parquet"},
    ),
    "a scale decides in two, 1 decides nothing in dev": (
        "unanimous", "ordinal5", "entailed2", TEXT, "dev, not a", {"jsonl", "dnc", "parquet"},
    ),
    "unanimous, a premise of a train with few seats held out": (
        "unanimous", "nli3", "nli3", TEXT, "held",
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "majority of all, three labels": (
        "majority_of_all", "nli3", "nli3", TEXT,
        {"jsonl", "snli_txt", "multinli_txt", "snli_jsonl", "multinli_jsonl", "dnc", "parquet"},
    ),
    "majority of all, two labels": (
        "majority_of_all", "entailed2", "entailed2", TEXT, {"jsonl", "dnc", "parquet"},
    ),
    "majority of all, a scale": ("majority_of_all", "ordinal5", "ordinal5", TEXT, {"jsonl", "dnc", "parquet"}),
    "majority of all, grammar": ("majority_of_all", "grammar3", "grammar3", TEXT, {"jsonl", "parquet"}),
    "unanimous, grammar": ("unanimous", "grammar3", "grammar3", TEXT, {"jsonl", "parquet"}),
    "majority, grammar": ("majority", "grammar3", "grammar3", TEXT, {"jsonl", "parquet"}),
}  # fmt: skip


class World:
    """The corpus with a pair for each case and partition, or for each case and premise of train if one is held out.

    gold: name -> label, source, note. given: name -> the labels that count.
    full: the pairs that have all labels. in_all: with those beyond the seats. judged:
    name -> labels of single premises, and what they give. placed: name -> partition, once frozen.
    """

    def __init__(self, rule: str, scheme: str, gold_scheme: str, text: str, few: str = "") -> None:
        few, _, self.undecided = few.partition(", not ")
        self.held_out, self.few = few == "held", "train" if few == "held" else few
        self.rule, self.labels, self.gold_labels = rule, SCHEMES[scheme], SCHEMES[gold_scheme]
        self.crosses = scheme != gold_scheme
        self.corpus = make_corpus(scheme=gold_scheme)
        Question.objects.filter(corpus=self.corpus).update(scheme=scheme, gold_rule=rule)
        self.question = Question.objects.select_related("corpus").get(corpus=self.corpus)
        if self.few:
            undecided = self.label(self.undecided) or "" if self.undecided else ""
            PartitionRule.objects.create(
                question=self.question,
                order=0,
                partition=self.few,
                seats=FEW,
                threshold=2,
                undecided=undecided,
            )
        sentences = len(text.splitlines())
        premise = make_premise(self.corpus, text, sentence_count=sentences)
        second = make_premise(self.corpus, f"{text} Yes.") if self.held_out else premise
        self.single = ask_of_single_premises(self.corpus, scheme) if sentences > 1 else None
        self.judged: dict[str, tuple[tuple[str, ...], str | None]] = {}
        self.placed: dict[str, str] = {}
        self.gold: dict[str, tuple[str | None, str, str]] = {}
        self.given: dict[str, list[str]] = {}
        self.in_all: dict[str, list[str]] = {}
        self.full: list[str] = []
        labels: list[Label] = []
        for number, case in enumerate(CASES):
            # Two labels cannot fall as some cases do; and nobody adjudicates labels of another scheme.
            if ("m" in case.letters and len(self.labels) == 2) or (case.decided and self.crosses):
                continue
            for one, part in ((premise, "train"), (second, "dev")):
                partition = "train" if self.held_out else part
                # Without the author's label in the first seat, other labels are in the three seats.
                if partition == self.few and self.crosses and case.author and case.letters:
                    continue
                labels += self._add(one, f"{part}-{number:02}", partition, case)
        Label.objects.bulk_create(labels)

    def label(self, letter: str) -> str | None:
        return {"a": self.labels[0], "m": self.labels[1], "z": self.labels[-1], ".": None}[letter]

    def gold_label(self, letter: str) -> str | None:
        """Returns the gold label of a letter; on a scale, only 5 is entailed."""
        if letter in ("", "-"):
            return None
        read = {"a": "not-entailed", "m": "not-entailed", "z": "entailed"}
        return read[letter] if self.crosses else self.label(letter)

    def _add(self, premise: Any, name: str, partition: str, case: Case) -> list[Label]:
        pair = make_pair(
            self.corpus,
            premise,
            f"A dog waits, {name}.",
            public_id=name,
            published_partition=partition,
            author=ana() if case.author else None,
            author_label=self.gold_label(case.author),
            published_label=self.gold_label(case.published),
        )
        seats = FEW if partition == self.few else SEATS
        by_rule = {**case._asdict(), OF_ALL: case.of_all or case.majority}
        letter, source = by_rule["few" if partition == self.few else self.rule].split()
        if partition == self.few and source == "voted" and letter == self.undecided:
            letter, source = "-", "none"
        # The author's label on another scale takes no seat: without it, a case may have fewer labels than it says.
        letters = case.letters[1:] if case.author and self.crosses else case.letters
        self.gold[name] = (self.gold_label(letter), source.rstrip("+-"), NOTES.get(source, ""))
        if case.decided:
            Adjudication.objects.create(
                question=self.question,
                pair=pair,
                scheme=self.question.scheme,
                label=self.label(case.decided),
                reason="Read twice.",
                by=rosa(),
            )
        self.in_all[name] = [str(self.label(each)) for each in letters if each != "."]
        self.given[name] = [str(self.label(each)) for each in letters[:seats] if each != "."]
        if not letters and case.author and not self.crosses:
            self.given[name] = [str(pair.author_label)]
        if self.rule == OF_ALL:  # each pair has as many seats as answers, once none waits
            is_full = "." not in case.letters and len(self.given[name]) > 1
        else:
            is_full = len(self.given[name]) == SEATS
        self.full += [name] * is_full
        # Labels that were asked for later are in the places beyond the question's seats.
        places = [*range(1, seats + 1), *range(SEATS + 1, SEATS + 1 + len(letters))]
        return [
            *(
                self._label(pair, position, each, case)
                for position, each in zip(places, letters, strict=False)
            ),
            *self._judged(pair),
        ]

    def _judged(self, pair: Pair) -> list[Label]:
        """Returns the labels of each premise by itself, if the corpus asks for them."""
        if self.single is None:
            return []
        judged = self.judged[pair.public_id] = PREMISES[len(self.judged) % len(PREMISES)]
        usual = {"question": self.single, "pair": pair, "premise": pair.premise, "scheme": self.single.scheme}
        return [
            Label(**usual, sentence=sentence, position=place, origin="imported", label=self.label(letter))
            for sentence, letters in enumerate(judged[0], start=1)
            for place, letter in enumerate(letters, start=1)
        ]

    def _label(self, pair: Pair, position: int, letter: str, case: Case) -> Label:
        by_author = position == 1 and bool(case.author) and not self.crosses
        origin = Label.Origin.AUTHOR if by_author else Label.Origin.CAST
        is_cast = letter != "." and not case.imported
        return new_label(
            self.question,
            pair,
            self.label(letter),
            position=position,
            origin=Label.Origin.IMPORTED if case.imported and not by_author else origin,
            author=pair.author,
            annotator=(ana() if by_author else person(f"v{position}")) if is_cast else None,
            turn=position,
            cast_at=timezone.now() if is_cast else None,
        )

    @property
    def told(self) -> dict[str, str]:
        """Returns pairID -> gold label as files write it."""
        return {name: label or NO_GOLD for name, (label, _, _) in self.gold.items()}
