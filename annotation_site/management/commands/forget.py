"""`forget`: forgets personal data after the periods of KEEP_DAYS, as the clock does every hour, or only counts it."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.personal_data.retention import PERIODS, forget_old


class Command(BaseCommand):
    help = (
        "Forgets personal data that is older than its period in KEEP_DAYS; texts, labels and pay stay, under codes. The"
        " clock does so every hour."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only count; nothing is forgotten")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.KEEP_DAYS:
            raise CommandError(f"KEEP_DAYS is empty: all is kept. It can name {', '.join(PERIODS)}.")
        for name, number in forget_old(only_count=options["dry_run"]).items():
            done = "would be forgotten" if options["dry_run"] else "forgotten"
            self.stdout.write(f"{name}, older than {settings.KEEP_DAYS[name]} days: {number:,} {done}.")
