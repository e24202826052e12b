"""`pair_premises CORPUS FILE.jsonl --genre G`: premises of four captions with hypotheses made from captions."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation_site.intake.files import (
    MAX_LICENCE,
    OrderCommand,
    Progress,
    known_corpus,
    known_genre,
    readable_files,
)
from annotation_site.intake.machine_pairs import PairingOrder, lines, pair_premises, summary
from collection.formats.field_errors import FieldError
from collection.models import Corpus
from collection.pairing.draw import Rules
from shared.whole_numbers import part, seed, whole

SHOWN = 20  # refused lines on the screen


class Command(OrderCommand):
    help = (
        "Makes premises of four captions of a scene, and hypotheses for them by simplifying the scene's fifth"
        " caption and one of a random other scene. People label them afterwards (open_pairs). The same command"
        " again adds nothing but the scenes that are new in the file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument(
            "file", type=Path, metavar="FILE", help="JSON Lines: `id` and five `captions` a scene"
        )
        parser.add_argument("--genre", required=True, help="the genre's slug, as the corpus file names it")
        parser.add_argument("--seed", type=seed, default=0, help="seed of all draws; default 0")
        parser.add_argument(
            "--each", type=whole(1), default=1, help="hypotheses from each of the two captions; default 1"
        )
        parser.add_argument(
            "--overlap",
            type=part(1),
            default=0.5,
            help="the most of a hypothesis, without stop words, that its premise may contain; default 0.5",
        )
        parser.add_argument(
            "--captions",
            type=whole(1),
            default=2,
            help="captions of the file that must simplify to a hypothesis; default 2",
        )
        parser.add_argument(
            "--licence", default="", help="the licence of the captions, stored with their source"
        )
        parser.add_argument("--dry-run", action="store_true", help="report all steps, and write nothing")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = fit_for_pairing(known_corpus(options["corpus"]))
        (path,) = readable_files([options["file"]])
        if len(options["licence"]) > MAX_LICENCE:
            raise FieldError(f"name it in at most {MAX_LICENCE} characters.", "licence")
        order = PairingOrder(
            genre=known_genre(corpus, options["genre"]),
            path=path,
            rules=rules_of(options),
            licence=options["licence"],
            dry_run=options["dry_run"],
        )
        outcome = pair_premises(order, Progress().tell)
        for refusal in outcome.refused[:SHOWN]:
            self.stderr.write(f"{refusal.file}, line {refusal.line}: {refusal.reason}.")
        if outcome.refused_count:
            self.stderr.write(f"Refused: {outcome.refused_count:,}.")
        if options["json"]:
            self.stdout.write(json.dumps(summary(order, outcome)))
        else:
            self.stdout.write("\n".join(lines(order, outcome)))
        if not outcome.scenes:
            raise CommandError(f"{path.name} contains no valid scene. Nothing was made.")


def fit_for_pairing(corpus: Corpus) -> Corpus:
    """Returns the corpus. Raises CommandError if its pairs must not be machine-made, or are not in English."""
    if corpus.protocol != Corpus.Protocol.JUDGED:
        raise CommandError(
            f'{corpus.slug} has the protocol "{corpus.protocol}". Machine-made pairs need a corpus whose'
            ' file says protocol = "judged".'
        )
    if corpus.language.split("-")[0].lower() != "en":
        raise CommandError(
            f'{corpus.slug} is in "{corpus.language}". The rules that simplify captions are for English only.'
        )
    return corpus


def rules_of(options: dict[str, Any]) -> Rules:
    return Rules(options["seed"], options["each"], options["overlap"], options["captions"])
