"""`open_pairs CORPUS`: chooses pairs for validation and makes their seats."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.management.files import known_corpus
from validation.actions import open_for_validation
from validation.agreement import main_question
from validation.models import Question
from validation.offers import unopened_pairs


class Command(BaseCommand):
    help = (
        "Opens pairs for validation: those that nobody has been asked about yet, all of them or a number drawn by"
        " seed. Each gets its seats for more labels; annotators find them on their start page."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus")
        parser.add_argument("--genre", help="only pairs of this genre")
        parser.add_argument("--number", type=int, help="how many; without it all")
        parser.add_argument("--seed", type=int, default=0, help="for the draw and for the order of seats")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = known_corpus(options["corpus"])
        try:
            question = main_question(corpus)
        except Question.DoesNotExist:
            raise CommandError(f"{corpus.slug} has no main question. Give it one with load_corpus.") from None
        if options["number"] is not None and options["number"] < 1:
            raise CommandError("--number wants a number of at least 1.")
        pairs = unopened_pairs(question)
        if options["genre"]:
            known = list(corpus.genres.order_by("slug").values_list("slug", flat=True))
            if options["genre"] not in known:
                raise CommandError(
                    f"{corpus.slug} has no genre {options['genre']!r}. Known: {', '.join(known)}."
                )
            pairs = pairs.by_genre(options["genre"])
        opened = open_for_validation(
            question=question, pairs=pairs, seed=options["seed"], number=options["number"]
        )
        if options["json"]:
            self.stdout.write(json.dumps({"corpus": corpus.slug, "opened": opened, "left": pairs.count()}))
        else:
            self.stdout.write(
                f"{corpus.slug}: {opened:,} pairs opened for validation; {pairs.count():,} wait."
            )
