"""`manage.py figure NAME SCOPE [KEY=VALUE ...] [--format text|csv|json|latex|html]`: prints a figure."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.http import Http404

from schemas.base import SchemaErrors, checked
from shared.figures import FIGURES
from shared.table_formats import FORMATS


class Command(BaseCommand):
    help = "Prints a figure of a corpus, a snapshot or a run. Counts first what is not stored yet."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help=f"one of: {', '.join(sorted(FIGURES))}")
        parser.add_argument(
            "scope",
            help="of what: a corpus's slug (or CORPUS/QUESTION), CORPUS@VERSION of a snapshot, or a run's number"
            " (its scores: RUN/PARTITION, RUN/PARTITION/CORPUS@VERSION)",
        )
        parser.add_argument("parameters", nargs="*", metavar="KEY=VALUE", help="as in the figure's address")
        parser.add_argument("--format", default="text", choices=FORMATS, help="default: text")

    def handle(self, *args: Any, **options: Any) -> None:
        figure = FIGURES.get(options["name"])
        if figure is None:
            raise CommandError(
                f"There is no figure {options['name']!r}. There are: {', '.join(sorted(FIGURES))}."
            )
        if wrong := [each for each in options["parameters"] if "=" not in each]:
            raise CommandError(f"{wrong[0]!r} is no parameter: write KEY=VALUE.")
        subject = figure.scope.named(options["scope"])
        try:
            parameters = checked(
                figure.parameters, dict(each.split("=", 1) for each in options["parameters"])
            )
        except SchemaErrors as wrong_ones:
            raise CommandError(wrong_ones.sentences(options["name"])) from None
        is_raw = options["format"] == "csv"
        try:
            data = (
                figure.stored(subject, parameters)[0]
                if figure.gather
                else figure.scope.count(subject, figure.source_of(parameters), parameters, self.stderr.write)
            )
            made = (
                figure.table(data, **dict(parameters)) if is_raw else figure.shown(subject, data, parameters)
            )
        except Http404 as absent:
            raise CommandError(f"{absent} Look at the parameters: {parameters.asked()}.") from None
        if made is None:
            raise CommandError(f"There is nothing to show of {options['scope']} yet.")
        self.stdout.write(FORMATS[options["format"]](made), ending="")
