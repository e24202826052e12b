"""`backup DIR`: writes the database and the files of the site into a new folder, while people work."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.operation.backup import MANIFEST, BackupRefused, back_up


class Command(BaseCommand):
    help = (
        "Backs the installation up into a new folder while people work: the database, the snapshots, runs and incoming"
        f" files, and {MANIFEST} with the hash of each file and the rows of each table. Settings are listed without secrets;"
        " keep QUINTET_VAR/secret-key, or SECRET_KEY, elsewhere."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path, help="a folder that is new or empty")
        parser.add_argument(
            "--age",
            metavar="RECIPIENT",
            default="",
            help="encrypt it to this public key of age (age1...); the folder then holds one archive",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            back_up(options["folder"], self.stdout.write, options["age"])
        except BackupRefused as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write(f"The backup is in {options['folder']}.")
