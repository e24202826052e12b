"""`move_to DATABASE_URL`: copies all rows into another, empty database, such as from SQLite to PostgreSQL."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.operation.backup import BackupRefused, move_rows
from annotation_site.settings import database


class Command(BaseCommand):
    help = (
        "Copies all rows of the site into another, empty database and compares the number of rows of each table. Stop the"
        " site and its workers first. Files stay where they are; afterwards set DATABASE_URL to the new one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", metavar="DATABASE_URL", help="the new database, as in the setting")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            config = database(options["url"])
        except (ImproperlyConfigured, ValueError) as problem:
            raise CommandError(f"DATABASE_URL: {problem}") from None
        try:
            rows = move_rows(
                config,
                lambda alias: call_command("migrate", database=alias, verbosity=0),
                self.stdout.write,
            )
        except BackupRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(
            f"{sum(rows.values()):,} rows of {len(rows)} tables are in the new database, and equal in number."
        )
