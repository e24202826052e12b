"""`pair_premises CORPUS FILE.jsonl --genre G`: premises of four captions with hypotheses made from captions."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation_site.intake.files import OrderCommand, Progress
from annotation_site.intake.machine_pairs import lines, pair_premises, summary
from annotation_site.intake.orders import SceneForm
from annotation_site.management.pairs import add_fields

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
            "file",
            type=Path,
            metavar="FILE",
            help="JSON Lines: `id`, five `captions`, perhaps `partition`, a scene",
        )
        add_fields(parser, SceneForm, *SceneForm.base_fields)
        parser.add_argument("--dry-run", action="store_true", help="report all steps, and write nothing")
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        order = SceneForm(options).order(options["corpus"], [options["file"]], dry_run=options["dry_run"])
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
            raise CommandError(f"{order.path.name} contains no valid scene. Nothing was made.")
