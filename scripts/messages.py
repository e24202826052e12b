"""Collects the texts of the pages of people who write and label, and compiles their translations (locale/).

    .venv/bin/python -m scripts.messages

updates each locale/LANGUAGE/LC_MESSAGES/django.po (templates and Python) and djangojs.po (scripts): new texts have an
empty translation, removed texts are deleted. It writes the .mo beside each, which is what the site reads. Babel reads
and writes the files; Django's own `makemessages` would need the programs of GNU gettext on the system.
"""

import io
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).parent.parent
APPS = ("accounts", "annotation_site", "collection", "validation")
LANGUAGES = ("de", "es", "ar", "ja", "zh_Hans")
DOMAINS = ("django", "djangojs")
# Templates that only researchers see, or that are not translated.
NOT_TRANSLATED = ("templates/500.html",)
# Function -> which of its arguments are the text, its plural and its context ("c").
KEYWORDS = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop", "inWords")),
    **dict.fromkeys(("ngettext", "ngettext_lazy", "ngettext_noop", "countInWords"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
}
# The files say nothing about when they were made: otherwise each run would change them.
MADE = datetime(2026, 11, 22, tzinfo=UTC)


def worker_templates() -> list[Path]:
    """Returns the templates with words to translate."""
    found = [path for kind in ("html", "txt") for path in sorted((ROOT / "templates").rglob(f"*.{kind}"))]
    found = [path for path in found if "i18n" in path.read_text()]
    return [path for path in found if path.relative_to(ROOT).as_posix() not in NOT_TRANSLATED]


def sources(domain: str) -> Iterator[tuple[str, str]]:
    """Yields kind and text of each source file; a template as the Python that Django's own reader makes of it."""
    if domain == "djangojs":
        for path in sorted((ROOT / "static" / "js").glob("*.js")):
            yield "javascript", path.read_text()
        return
    for path in worker_templates():
        # Only the calls count there, so the lines need no indentation.
        yield "python", re.sub(r"^[ \t]+", "", templatize(path.read_text()), flags=re.MULTILINE)
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            yield "python", path.read_text()


@cache
def messages(domain: str) -> Catalog:
    """Returns all texts of the workers' pages, or of their scripts, in the order of their files."""
    found = Catalog(creation_date=MADE, revision_date=MADE)
    for kind, source in sources(domain):
        options = {"parse_template_string": "true"} if kind == "javascript" else {}
        for _, text, _, context in extract(kind, io.BytesIO(source.encode()), KEYWORDS, options=options):
            found.add(text, context=context)
    return found


def po_file(language: str, domain: str = "django") -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / f"{domain}.po"


def translations(language: str, domain: str) -> Catalog:
    """Returns the translations of a language; none where it has no file yet."""
    path = po_file(language, domain)
    if not path.exists():
        return Catalog(locale=language, creation_date=MADE, revision_date=MADE)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def forms(message: Message) -> tuple[str, ...]:
    """Returns the translation of a text; of one with a number, all its forms."""
    return tuple(message.string) if message.pluralizable else (message.string,)  # type: ignore[arg-type, return-value]


def compiled(catalog: Catalog) -> bytes:
    """Returns the bytes of a .mo file."""
    into = io.BytesIO()
    write_mo(into, catalog)
    return into.getvalue()


def main() -> None:
    for domain in DOMAINS:
        wanted = messages(domain)
        for language in LANGUAGES:
            catalog, path = translations(language, domain), po_file(language, domain)
            catalog.update(wanted, no_fuzzy_matching=True)
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                write_po(file, catalog, width=0, no_location=True, ignore_obsolete=True)
            path.with_suffix(".mo").write_bytes(compiled(catalog))
            missing = sum(not all(forms(each)) for each in catalog)
            sys.stdout.write(
                f"{language}, {domain}: {len(catalog)} texts, {missing} without a translation.\n"
            )


if __name__ == "__main__":
    main()
