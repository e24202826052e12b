"""`withdraw_import CORPUS [FILE]`: withdraws an import of pairs, while nothing depends on it."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db.models import Count

from annotation_site.intake.files import OrderCommand, known_corpus
from annotation_site.intake.withdrawal import BuiltOn, withdraw_import
from collection.models import Corpus, Source


class Command(OrderCommand):
    help = (
        "Removes what import_pairs brought from a file: pairs, labels, parses, and the premises and people that nothing"
        " else needs. Refused once people labelled, a snapshot was frozen, or anything else refers to the pairs."
        " Without FILE: lists the imports of the corpus."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument("file", nargs="?", metavar="FILE", help="the file's name, as the list has it")
        parser.add_argument("--digest", default="", help="its beginning, where two files have the same name")
        parser.add_argument(
            "--with-corpus", action="store_true", help="remove the corpus too, if nothing is left"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="report what would be removed, and change nothing"
        )
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = known_corpus(options["corpus"])
        if options["file"] is None:
            self.list_imports(corpus, as_json=options["json"])
            return
        source = source_of(corpus, options["file"], options["digest"])
        try:
            found = withdraw_import(
                source=source, with_corpus=options["with_corpus"], dry_run=options["dry_run"]
            )
        except BuiltOn as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            removed = {"removed": vars(found), "dry_run": options["dry_run"]}
            self.stdout.write(json.dumps({"corpus": corpus.slug, "file": source.name, **removed}))
            return
        verb = "would be removed" if options["dry_run"] else "removed"
        self.stdout.write(
            f"{source.name}: {found.pairs:,} pairs, {found.labels:,} labels, {found.premises:,} premises and"
            f" {found.people:,} people {verb}{f', and the corpus {corpus.slug}' if found.corpus else ''}."
        )

    def list_imports(self, corpus: Corpus, *, as_json: bool) -> None:
        rows = [
            {
                "file": each.name,
                "sha256": each.sha256,
                "imported": each.imported_at.isoformat(),
                "pairs": each.pairs,
            }
            for each in imports_of(corpus)
        ]
        if as_json:
            self.stdout.write(json.dumps(rows))
        elif not rows:
            self.stdout.write(f"No file of pairs was imported into {corpus.slug}.")
        for row in [] if as_json else rows:
            self.stdout.write(
                f"{row['file']}  {row['sha256'][:12]}  {row['imported'][:10]}  {row['pairs']:,} pairs"
            )


def imports_of(corpus: Corpus) -> Any:
    """Returns the imported files of pairs, oldest first, with `pairs`."""
    return corpus.sources.annotate(pairs=Count("pair")).filter(pairs__gt=0).order_by("pk")


def source_of(corpus: Corpus, name: str, digest: str) -> Source:
    """Returns the file of that name. Raises CommandError listing the imported ones."""
    found = [each for each in imports_of(corpus) if each.name == name and each.sha256.startswith(digest)]
    if len(found) == 1:
        return found[0]
    if found:
        digests = ", ".join(each.sha256[:12] for each in found)
        raise CommandError(f'{len(found)} files named "{name}" were imported: choose by --digest {digests}.')
    known = ", ".join(each.name for each in imports_of(corpus)) or "none"
    raise CommandError(f'No pairs of {corpus.slug} came from "{name}"; the imported files are: {known}.')
