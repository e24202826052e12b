"""Imports files of pairs: reads, plans, writes in portions, and opens pairs for labelling."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from accounts.people.gates import viewer
from annotation_site.intake.files import PORTION, remember_source
from annotation_site.intake.report import PairReport, keys_in_words, refused_lines
from collection.corpus_schema import SideQuestionPart
from collection.corpus_schema.corpus import CorpusPart
from collection.formats.field_errors import FieldError
from collection.formats.lines import MENDED, QUOTES_STAY, BadLine, sha256_of
from collection.formats.records import DISAGREE, NONE, PARTITIONS, SEVERAL, UNSURE, ImportedPair
from collection.formats.registry import ImportFormat
from collection.imports.pair_plans import ALL, TEXTS_CHANGED, PlannedPair, Rules, plan_pair
from collection.imports.pairs import PairImport, PairSource
from collection.imports.splits import Split
from collection.models import Corpus, Pair, Premise, Source
from collection.models.querysets import refresh_planner
from nli.labels import SCHEMES
from schemas.base import default_of
from shared.portions import portions
from snapshots.withholding.actions import seal_new
from validation.errors import NotLookedAt
from validation.models import Label, Question
from validation.pairs.published_labels import (
    create_corpus,
    import_portion,
    main_question,
    open_imported,
    other_questions,
)

FIRST_SHOWN = 3  # pairs that a dry run shows
WORDS = re.compile("[a-z]+")
MANY = 500  # pairs that the database's planner should know of


class StrictRefusal(Exception):
    """A strict import met an invalid line. Nothing was written; `report` names the lines."""

    def __init__(self, report: "PairReport") -> None:
        first = "; ".join(f"{each.file}, line {each.line}: {each.reason}" for each in report.refused[:3])
        super().__init__(f"{refused_lines(report)}, so nothing was written (strict). The first: {first}.")
        self.report = report


@dataclass(frozen=True)
class PairOrder:
    """What to import, and how. `scheme` to `threshold` are for a corpus that does not exist yet.

    unlabelled: accept a file without any label. dry_run: report what an import would do, and write nothing.
    read_as: the options that name the format. split: puts pairs into partitions that neither the file nor their
    line names. unless_votes: only in a corpus without votes. about: of a corpus to be made. only_genre: excludes all
    other pairs of the files. partly: import the rest where a class or more than a tenth is refused. without_look: opens
    pairs though nobody has looked at what their hypotheses give away.
    """

    slug: str
    form: ImportFormat
    files: Sequence[Path]
    scheme: str = ""
    protocol: str = ""
    licence: str = ""
    language: str = ""
    seats: int | None = None
    threshold: int | None = None
    gold_rule: str = ""
    genre: str = ""
    partition: str = ""
    take: str = ALL
    strict: bool = False
    open: bool = False
    unlabelled: bool = False
    seed: int = 0
    dry_run: bool = False
    read_as: str = ""
    split: Split | None = None
    unless_votes: bool = False
    about: str = ""
    only_genre: str = ""
    without_look: bool = False
    partly: bool = False

    def wants(self, item: ImportedPair | BadLine) -> bool:
        """Returns whether the pair is of the requested genre, if one was requested."""
        return not self.only_genre or isinstance(item, BadLine) or item.genre == self.only_genre

    def placed(self, item: ImportedPair) -> ImportedPair:
        """Returns the pair in a partition of the split, unless the file or the pair's line names a partition."""
        return self.split.placed(item) if self.split and not self.partition else item


def rules_of(order: PairOrder, form: ImportFormat, corpus: Corpus | None) -> tuple[Rules, str]:
    """Returns how the lines are imported, and the protocol: by the corpus if it exists, else by the order and format."""
    scheme = corpus.scheme if corpus else order.scheme or form.scheme or default_of(CorpusPart, "scheme")
    asked = _asked(corpus) if corpus else "" if order.scheme else form.question_scheme or ""
    protocol = (
        corpus.protocol if corpus else order.protocol or form.protocol or default_of(CorpusPart, "protocol")
    )
    elicited = protocol == Corpus.Protocol.ELICITED
    return Rules(
        scheme, SCHEMES[scheme], elicited, order.take, asked, _most_labels(order, form, corpus)
    ), protocol


def _most_labels(order: PairOrder, form: ImportFormat, corpus: Corpus | None) -> int | None:
    """Returns how many labels a pair may have; None where the file names those that were asked for later."""
    if form.has_rounds:
        return None
    there = corpus and Question.objects.filter(corpus=corpus, is_main=True).first()
    return there.seats if there else order.seats or form.seats or int(default_of(SideQuestionPart, "seats"))


def checked(order: PairOrder) -> tuple[Corpus | None, ImportFormat, Rules, str]:
    """Returns the corpus if it exists, the format with its facts, and what `rules_of` says.

    Raises FieldError, also if the label map contains a label that the corpus does not have.
    """
    form = order.form.knowing(order.files[0])
    corpus = Corpus.objects.filter(slug=order.slug).first()
    if corpus is not None:
        _check_kind(corpus, order, form)
    rules, protocol = rules_of(order, form, corpus)
    labels = form.fields.labels.targets if form.fields else set()
    if strange := sorted(labels - {*rules.labels, *rules.votes}):
        raise FieldError(
            f'The label map gives "{strange[0]}", which is not a label of {rules.scheme} ({", ".join(rules.labels)}). Choose'
            f" another set of labels: {', '.join(SCHEMES)}.",
            "scheme",
        )
    return corpus, form, rules, protocol


def check_labels(order: PairOrder, report: PairReport, path: Path, first: Sequence[PlannedPair]) -> None:
    """Raises FieldError if none of the first pairs of a file has a label, unless the order is for such pairs."""
    if order.unlabelled or order.open:
        return
    if not any(
        plan.votes or plan.author_label or plan.published_label or plan.item.left_out for plan in first
    ):
        read = f"Of its keys these were not read: {keys_in_words(report.unread)}. " if report.unread else ""
        raise FieldError(
            f"{path.name}: none of the first {len(first):,} pairs has a label. {read}Is {order.form.name} the file's format?"
            " For pairs without labels, choose “unlabelled”, or “open” to have them labelled."
        )


def split_in_words(order: PairOrder) -> str:
    """Describes the partitions of the pairs."""
    if order.partition:
        return f"all pairs go into {order.partition}"
    named = "the partitions that the files name"
    if order.split is not None:
        shares = ":".join(map(str, order.split.shares))
        return f"{named}; all other pairs {shares}, drawn by group with seed {order.split.seed}"
    why = ", as votes decide what may be dev or test" if order.unless_votes else ""
    return f"{named}; pairs without one have none{why}"


def plans_of(
    order: PairOrder, rules: Rules, report: PairReport, path: Path, items: Iterable[ImportedPair | BadLine]
) -> list[PlannedPair]:
    """Plans the requested pairs, and records in the report what has errors, is left out or is not read."""
    plans = []
    for item in items:
        report.rows[path.name] += item.rows
        if not order.wants(item):
            report.other_genres += 1
            report.rows_of_other_genres += item.rows
            continue
        planned = item if isinstance(item, BadLine) else plan_pair(order.placed(item), rules)
        if isinstance(planned, BadLine):
            report.refuse(path.name, [planned])
            continue
        if planned.item.drawn:
            report.drawn.add(path.name)
        if len(report.first) < FIRST_SHOWN:
            report.first.append(planned)
        report.leave(planned.item.unread)
        plans.append(planned)
    return plans


def import_pairs(
    order: PairOrder,
    tell: Callable[[str], None] = lambda text: None,
    confirm: Callable[[], None] = lambda: None,
) -> PairReport:
    """Imports the files in order. Raises StrictRefusal, and FieldError, also if the first two thousand valid lines
    of a file have no label.

    Calls `tell` with the progress after every portion. After an interruption, the same import skips what was written.
    `confirm` is called at the end of each transaction, which is rolled back if it raises.
    """
    report = PairReport()
    work = _Work(order, report, tell, confirm)
    if order.dry_run:
        with transaction.atomic():
            work.run()
            transaction.set_rollback(True)
        return report
    if order.strict:
        with transaction.atomic():
            work.run()
            if report.refused_count:
                raise StrictRefusal(report)
    else:
        work.run()
    if order.open and work.pairs is not None:
        with transaction.atomic():
            question = main_question(corpus=work.pairs.corpus)
            try:
                report.opened = open_imported(
                    question=question,
                    sources=work.sources,
                    seed=order.seed,
                    without_look=order.without_look,
                )
            except NotLookedAt:
                report.unseen = True
            confirm()
    if report.counts.get("pairs", 0) >= MANY:
        refresh_planner(Premise, Pair, Label)
    return report


def started(order: PairOrder, form: ImportFormat, corpus: Corpus, *, writes: bool = True) -> PairImport:
    """Returns the state of an import at its beginning."""
    return PairImport(
        corpus=corpus,
        partition=order.partition,
        genre=order.genre,
        default_genre=form.genre,
        genre_facts=form.genres,
        ids_repeat=form.ids_repeat,
        ids_of_file=form.ids_of_file,
        people=form.people,
        simulated=form.simulated,
        writes=writes,
    )


class _Work:
    """One import. It creates the corpus with its first valid portion."""

    def __init__(
        self,
        order: PairOrder,
        report: PairReport,
        tell: Callable[[str], None],
        confirm: Callable[[], None],
    ) -> None:
        self.order, self.report, self.tell, self.confirm = order, report, tell, confirm
        self.sources: list[Source] = []
        corpus, self.form, self.rules, self.protocol = checked(order)
        report.leave(dict.fromkeys(self.form.left_behind, 1))
        self.pairs = self._start(corpus) if corpus is not None else None

    def run(self) -> None:
        for path in self.order.files:
            digest = sha256_of(path)
            file: PairSource | None = None
            for portion in portions(self.order.form.read(path), PORTION):
                plans = plans_of(self.order, self.rules, self.report, path, portion)
                if plans and file is None:
                    check_labels(self.order, self.report, path, plans)
                if plans:
                    file = self._write(path, digest, file, plans)
                self.tell(
                    f"{path.name}: line {portion[-1].line:,}, {self.report.counts.get('pairs', 0):,} pairs in"
                )

    def _write(
        self, path: Path, digest: str, file: PairSource | None, plans: list[PlannedPair]
    ) -> PairSource:
        with transaction.atomic():
            if self.pairs is None:
                self.pairs = self._start(self._create())
                self.pairs.genres_made += self.form.genres
            if file is None:
                source = remember_source(
                    corpus=self.pairs.corpus, name=path.name, digest=digest, licence=self.order.licence
                )
                self.sources.append(source)
                file = PairSource(source)
            question = main_question(corpus=self.pairs.corpus)
            others = other_questions(corpus=self.pairs.corpus, described=self.form.questions)
            outcome = import_portion(run=self.pairs, file=file, question=question, plans=plans, others=others)
            seal_new(corpus=self.pairs.corpus)
            self.confirm()
        self.report.refuse(path.name, outcome.refused)
        self.report.counts, self.report.partitions = dict(self.pairs.counts), dict(self.pairs.partitions)
        self.report.genres_made, self.report.ids_changed = self.pairs.genres_made, self.pairs.ids_changed
        self.report.gold_differs = [*self.report.gold_differs, *outcome.gold_differs][:3]
        return file

    def _start(self, corpus: Corpus) -> PairImport:
        return started(self.order, self.form, corpus)

    def _create(self) -> Corpus:
        self.report.corpus_is_new = True
        names = ", ".join(path.name for path in self.order.files)
        form, told = self.form, {"description": self.order.about, "licence": self.order.licence}
        return create_corpus(
            slug=self.order.slug,
            scheme=self.rules.scheme,
            protocol=self.protocol,
            about={
                "description": f"Imported from {names} (format {form.name}).",
                **form.corpus,
                **{key: text for key, text in told.items() if text},
            },
            genres=form.genres,
            language=self.order.language or form.language,
            wording=form.question,
            labels=form.wordings or self._names_of_labels(),
            seats=self.order.seats or form.seats,
            threshold=self.order.threshold or (None if self.order.seats else form.threshold),
            gold_rule=self.order.gold_rule or form.gold_rule,
            partitions=form.partitions,
            question_scheme=self.rules.asked or None,
            by=viewer(),
        )

    def _names_of_labels(self) -> dict[str, str]:
        """Returns the labels under the names that the paper gave them, unless people here are to choose among them."""
        scheme = self.rules.asked or self.rules.scheme
        is_labelled_here = self.order.open or self.order.unlabelled
        return {} if is_labelled_here else {label: label for label in SCHEMES[scheme]}


def _asked(corpus: Corpus) -> str:
    """Returns the scheme of the main question if it differs from the corpus's."""
    scheme = Question.objects.filter(corpus=corpus, is_main=True).values_list("scheme", flat=True).first()
    return scheme if scheme and scheme != corpus.scheme else ""


def _check_kind(corpus: Corpus, order: PairOrder, form: ImportFormat) -> None:
    question = Question.objects.filter(corpus=corpus, is_main=True).first()
    facts = {key: getattr(corpus, key) for key in ("scheme", "protocol", "language")}
    if question is not None:
        facts |= {key: getattr(question, key) for key in ("seats", "threshold", "gold_rule")}
    for key, there in facts.items():
        if (named := getattr(order, key)) and named != there:
            raise FieldError(
                f'{corpus.slug} has the {key.replace("_", " ")} "{there}". Omit {named}, or name another corpus.',
                key,
            )
    for key in ("scheme", "protocol"):
        there, named, of_format = facts[key], getattr(order, key), getattr(form, key)
        if of_format and key == "scheme" and of_format == _asked(corpus):
            continue
        if of_format and of_format != there and not named:
            raise FieldError(
                f'Files of the format {form.name} have the {key} "{of_format}", but {corpus.slug} has "{there}". Name'
                f" another corpus; it is made if it does not exist. If these pairs were made that way, choose {there}.",
                key,
            )
    if order.genre and corpus.prompts.exists():
        known = list(corpus.genres.order_by("slug").values_list("slug", flat=True))
        if order.genre not in known:
            raise FieldError(
                f'{corpus.slug} has no genre "{order.genre}"; its genres are: {", ".join(known)}.', "genre"
            )


def warnings(order: PairOrder, report: PairReport) -> list[str]:
    """Returns a sentence for each label that the corpus lacks, and each drawn file that is named like a partition."""
    odd = [
        f"{report.reasons[reason]:,} line{' was' if report.reasons[reason] == 1 else 's were'} refused for the label"
        f" {label}: say what it means in the label map, {label}=..., with nothing after = if it is no label"
        for reason, label in report.odd_labels.items()
        if order.form.fields
    ]
    named = (
        (file, PARTITIONS[word])
        for file in sorted(report.drawn)
        for word in WORDS.findall(file.lower())
        if word in PARTITIONS
    )
    return odd + [
        f"{file} is named like the partition {name}, but its pairs are drawn into train, dev and test"
        for file, name in dict(named).items()
        if name in ("dev", "test")
    ]


def summary(order: PairOrder, report: PairReport) -> dict[str, Any]:
    """Returns the report for `--json`."""
    keys = ("pairs", "premises", "labels", "author_labels", "published_labels", "people", "skipped")
    warned = (
        *("empty_hypotheses", "fewer_labels", "more_labels", "gold_differs", "premise_ids_changed"),
        *("premise_texts_merged", "premise_ids_merged"),
        *("published_differs", "published_without_majority", "author_differs", "self_validated"),
        *("pair_ids_changed", "pair_ids_of_file", "other_answers", "with_reason", "decided", "waiting"),
        *("rows_in_pairs", "rows_skipped"),
        *(SEVERAL, NONE, UNSURE, DISAGREE, TEXTS_CHANGED, MENDED, QUOTES_STAY),
    )
    return {
        "corpus": order.slug,
        "rows": report.rows.total(),
        **{key: report.counts.get(key, 0) for key in keys},
        "refused": [vars(refusal) for refusal in report.refused],
        "refused_count": report.refused_count,
        "reasons": dict(report.reasons.most_common()),
        "genres_made": report.genres_made,
        "opened": report.opened,
        "unseen": report.unseen,
        "split": split_in_words(order),
        "partitions": report.partitions,
        "other_genres": report.other_genres,
        "rows_of_other_genres": report.rows_of_other_genres,
        **{key: report.counts.get(key, 0) for key in warned},
        "keys_not_read": dict(sorted(report.unread.items())),
        "language": order.language or order.form.language,
        "warnings": warnings(order, report),
        "files": [path.name for path in order.files],
    }
