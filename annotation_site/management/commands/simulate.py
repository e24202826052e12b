"""`simulate CORPUS --annotators N`: a simulated crowd works through the real pages."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation_site.intake.crowd import lines, simulate
from annotation_site.intake.files import OrderCommand
from annotation_site.intake.orders import CrowdForm
from annotation_site.management.pairs import add_fields


class Command(OrderCommand):
    help = (
        "A simulated crowd signs in and works through the site's own pages. Its accounts, and so everything it"
        " does, are marked as simulated. With --replay it casts labels 2-5 of a published file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus")
        add_fields(parser, CrowdForm, *CrowdForm.base_fields)
        parser.add_argument(
            "--replay",
            type=Path,
            nargs="+",
            default=(),
            metavar="FILE",
            help="cast the labels 2-5 of these files",
        )
        parser.add_argument(
            "--url", default="", help="address of a running site; without it a site is started"
        )
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        order = CrowdForm(options).order(options["corpus"], options["replay"])
        facts = simulate(order, url=options["url"])
        self.stdout.write(json.dumps(facts) if options["json"] else "\n".join(lines(facts)))
