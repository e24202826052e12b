"""`restore DIR`: brings a backup back into an empty installation, and checks it."""

from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.operation.backup import BackupRefused, restore


class Command(BaseCommand):
    help = (
        "Restores a backup into an empty database and an empty QUINTET_VAR. It reads all files first, compares the rows of"
        " each table, and ends with doctor --hashes. Jobs of the backup go on as soon as a worker runs."
    )
    requires_system_checks: list[str] = []  # the database is empty, and static files may not be collected yet

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path, help="the folder that backup wrote")
        parser.add_argument(
            "--identity", metavar="FILE", default="", help="the secret key of age, for an encrypted one"
        )
        parser.add_argument(
            "--migrate",
            action="store_true",
            help="also restore an earlier version, and migrate it to this one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            restore(
                options["folder"],
                self.stdout.write,
                identity=options["identity"],
                migrates=options["migrate"],
            )
        except BackupRefused as refusal:
            raise CommandError(str(refusal)) from None
        call_command("migrate", verbosity=0, skip_checks=True)
        call_command("doctor", hashes=True, stdout=self.stdout)
