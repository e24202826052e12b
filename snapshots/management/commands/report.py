"""`manage.py report CORPUS@VERSION TABLE [--format text|csv|latex|html]`."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from jobs.claims import Interrupted
from snapshots.errors import SnapshotError
from snapshots.management.naming import frozen_snapshot
from snapshots.models import Snapshot
from snapshots.statistics.agreement import AGREEMENT, agreement_table
from snapshots.statistics.job import request_statistics, work_out_statistics
from snapshots.statistics.paper_tables import TABLES, Table, table
from snapshots.statistics.table_formats import FORMATS

NAMES = (AGREEMENT, *TABLES)


class Command(BaseCommand):
    help = (
        "Prints a table of statistics over a frozen snapshot; what is not worked out yet is worked out first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("snapshot", metavar="CORPUS@VERSION")
        parser.add_argument("table", metavar="TABLE", help=f"one of: {', '.join(NAMES)}")
        parser.add_argument("--format", default="text", choices=list(FORMATS), help="text unless told")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["table"] not in NAMES:
            raise CommandError(f"There is no table {options['table']!r}. There are: {', '.join(NAMES)}.")
        snapshot = frozen_snapshot(options["snapshot"])
        try:
            made = self.made(snapshot, options["table"])
        except (SnapshotError, Interrupted) as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped by hand. Nothing was kept.") from None
        self.stdout.write(FORMATS[options["format"]](made), ending="")

    def made(self, snapshot: Snapshot, name: str) -> Table:
        if name == AGREEMENT:
            manifest = snapshot.read_manifest()
            if manifest is None:
                raise CommandError(
                    f"The manifest of {snapshot} cannot be read. Restore its folder from a backup."
                )
            return agreement_table(manifest)
        row = request_statistics(snapshot=snapshot, kind=TABLES[name].source)
        row = work_out_statistics(statistics_id=row.pk, progress=self.tell)
        assert row.data is not None  # the constraint statistics_have_data_when_done
        return table(name, row.data)

    def tell(self, progress: str) -> None:
        self.stderr.write(progress)
