"""`manage.py stereotypes CORPUS@VERSION TERMS.toml`: words of hypotheses that go with terms of premises."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from nli.lines import PARTITION_FILES
from shared.table_formats import FORMATS
from shared.whole_numbers import whole
from snapshots.files.reading import lines
from snapshots.management.lookup import frozen_snapshot
from snapshots.models import Snapshot
from snapshots.statistics.pairs import Pair, pair_of
from snapshots.statistics.stereotypes import AT_LEAST, MOST, BadTerms, read_terms, stereotypes


class Command(BaseCommand):
    help = (
        "Prints the words of hypotheses that go most with terms of their premises (Rudinger et al. 2017), with intervals"
        " and the pairs behind them. The researcher brings the terms; examples/terms/ has a small list."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument(
            "terms", type=Path, metavar="TERMS.toml", help='lists such as women = ["woman", "girl"]'
        )
        parser.add_argument("--label", default="", help="only pairs with this gold label")
        parser.add_argument(
            "--at-least",
            type=whole(1),
            default=AT_LEAST,
            help=f"pairs of a word and a group; default {AT_LEAST}",
        )
        parser.add_argument(
            "--most", type=whole(1), default=MOST, help=f"words of each group; default {MOST}"
        )
        parser.add_argument("--format", default="text", choices=FORMATS, help="default: text")

    def handle(self, *args: Any, **options: Any) -> None:
        snapshot = frozen_snapshot(options["snapshot"])
        labels = snapshot.corpus.labels
        if options["label"] and options["label"] not in labels:
            raise CommandError(
                f"{snapshot} has no label {options['label']!r}; its labels are: {', '.join(labels)}."
            )
        try:
            groups = read_terms(options["terms"])
        except BadTerms as error:
            raise CommandError(str(error)) from None
        made = stereotypes(
            pairs_of(snapshot),
            groups,
            language=snapshot.corpus.language,
            label=options["label"],
            at_least=options["at_least"],
            most=options["most"],
        )
        self.stdout.write(FORMATS[options["format"]](made), ending="")


def pairs_of(snapshot: Snapshot) -> Iterator[Pair]:
    """Yields the pairs of a snapshot's files."""
    for partition, name in PARTITION_FILES.items():
        path = snapshot.folder / name
        if path.exists():
            yield from (pair_of(partition, line) for line in lines(path))
