"""`open_pairs CORPUS`: chooses pairs for labelling and makes their seats."""

import json
import re
from itertools import chain
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.http import QueryDict

from annotation_site.intake.files import OrderCommand, known_corpus
from annotation_site.intake.orders import ImportForm
from annotation_site.management.pairs import add_fields
from collection.models import Corpus, Pair
from collection.models.querysets import PairQuerySet
from modeling.models import TrainingRun
from modeling.results.predictions import BadChoice, Predictions, PredictionsMissing, asked_choice
from shared.among import Among
from shared.whole_numbers import part, seed, whole
from validation.errors import NotLookedAt, TooManyLabels
from validation.models import Question
from validation.pairs.opening import open_for_validation, open_more_labels
from validation.questions.lookup import question_for_command


class Command(OrderCommand):
    help = (
        "Opens pairs for labelling: those that nobody has been asked about yet, all of them or a number drawn by"
        " seed. Each gets its seats for more labels; annotators find them on their start page."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus")
        parser.add_argument("--genre", help="only pairs of this genre")
        parser.add_argument("--question", metavar="SLUG", help="another question than the main one")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--number", type=whole(1), help="how many pairs; default all")
        which.add_argument("--number-a-genre", type=whole(1), help="how many of each genre")
        which.add_argument(
            "--percent-a-genre",
            type=part(100),
            help="percent of each genre, including pairs that are open already",
        )
        which.add_argument(
            "--pairs", metavar="FILE", help="these pairs: a file with a public id on each line"
        )
        which.add_argument(
            "--more-labels",
            type=whole(1),
            metavar="N",
            help="no new pairs: N labels in total for pairs whose first labels split",
        )
        parser.add_argument(
            "--predictions",
            metavar="RUN/PARTITION",
            help="only pairs of these predictions, such as 3/dev; --where filters them",
        )
        parser.add_argument(
            "--where",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="a filter of the list of predictions, as in its address, such as label=neutral predicted=entailment",
            nargs="+",
        )
        parser.add_argument("--seed", type=seed, default=0, help="for the draw and for the order of seats")
        add_fields(parser, ImportForm, "without_look")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = known_corpus(options["corpus"])
        question = question_for_command(corpus.slug, options["question"])
        if options["percent_a_genre"] == 0:
            raise CommandError("--percent-a-genre must be above 0.")
        if options["more_labels"] is not None:
            self.open_more(question, options)
            return
        pairs = Pair.objects.standing().filter(corpus=corpus)
        if options["genre"]:
            known = list(corpus.genres.order_by("slug").values_list("slug", flat=True))
            if options["genre"] not in known:
                raise CommandError(
                    f"{corpus.slug} has no genre {options['genre']!r}. Known: {', '.join(known)}."
                )
            pairs = pairs.by_genre(options["genre"])
        if options["pairs"]:
            pairs = self.named(pairs, Path(options["pairs"]))
        if options["where"] and not options["predictions"]:
            raise CommandError("--where filters predictions: name them by --predictions RUN/PARTITION.")
        if options["predictions"]:
            names = self.predicted(corpus, options["predictions"], [*chain.from_iterable(options["where"])])
            pairs = pairs.filter(Among("public_id", names))
        percent = options["percent_a_genre"]
        try:
            opened = open_for_validation(
                question=question,
                pairs=pairs,
                seed=options["seed"],
                number=options["number"],
                number_a_genre=options["number_a_genre"],
                share_a_genre=None if percent is None else percent / 100,
                without_look=options["without_look"],
            )
        except NotLookedAt as refusal:
            raise CommandError(f"{refusal} Run bias {corpus.slug} first, or pass --without-look.") from None
        left = pairs.exclude(labels__question=question).count()
        if options["json"]:
            self.stdout.write(json.dumps({"corpus": corpus.slug, "opened": opened, "left": left}))
        else:
            self.stdout.write(f"{corpus.slug}: {opened:,} pairs opened for labelling; {left:,} wait.")

    def named(self, pairs: PairQuerySet, path: Path) -> PairQuerySet:
        try:
            names = path.read_text().split()
        except (OSError, UnicodeDecodeError) as error:
            raise CommandError(f"{path} cannot be read: {error}") from None
        found = pairs.filter(public_id__in=names)
        missing = sorted(set(names) - set(found.values_list("public_id", flat=True)))
        if missing:
            some = ", ".join(missing[:5])
            raise CommandError(
                f"{path}: {len(missing):,} of its pairs are not in the corpus, such as {some}."
            )
        return found

    def predicted(self, corpus: Corpus, place: str, where: list[str]) -> list[str]:
        """Returns the ids of the pairs of a run's predictions that pass the filters. Raises CommandError."""
        number, _, partition = place.partition("/")
        runs = TrainingRun.objects.newest_first()
        run = runs.filter(pk=int(number)).first() if re.fullmatch("[0-9]{1,9}", number) else None
        if run is None:
            raise CommandError(
                f"--predictions: there is no run {number!r}. Write RUN/PARTITION, such as 3/dev."
            )
        try:
            found = Predictions(run, partition or "dev")
            if found.snapshot.corpus != corpus:
                raise CommandError(
                    f"--predictions: run {number} is of {found.snapshot}, not of {corpus.slug}."
                )
            query = QueryDict(mutable=True)
            known = {"outcome", "text", *found.dimensions}
            for each in where:
                key, _, value = each.partition("=")
                if key not in known or not value:
                    raise CommandError(
                        f"--where: {each!r} is no KEY=VALUE. Keys: {', '.join(sorted(known))}."
                    )
                query.appendlist(key, value)
            return [found.first.ids[row] for row in found.chosen(asked_choice(query)).tolist()]
        except (PredictionsMissing, BadChoice) as error:
            raise CommandError(f"--predictions: {error}") from None

    def open_more(self, question: Question, options: dict[str, Any]) -> None:
        try:
            pairs = open_more_labels(question=question, labels=options["more_labels"], seed=options["seed"])
        except TooManyLabels as refusal:
            raise CommandError(str(refusal)) from None
        if options["json"]:
            self.stdout.write(json.dumps({"corpus": question.corpus.slug, "pairs": pairs}))
        else:
            self.stdout.write(f"{question.corpus.slug}: {pairs:,} pairs that split get more labels.")
