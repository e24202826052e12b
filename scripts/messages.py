"""Collects the words of the pages of people who write and label, and compiles their translations (locale/).

    .venv/bin/python -m scripts.messages

updates each locale/LANGUAGE/LC_MESSAGES/django.po (new texts have an empty translation, removed texts
are deleted) and writes the django.mo beside it, which is what the site reads. It needs no program besides Python.
"""

import ast
import os
import re
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import django
from django.utils.translation.template import templatize

ROOT = Path(__file__).parent.parent
APPS = ("accounts", "annotation_site", "collection", "validation")
# Templates that only researchers see, or that are not translated.
NOT_TRANSLATED = ("templates/accounts/home.html", "templates/500.html")
CALLS = {"gettext": 1, "gettext_lazy": 1, "gettext_noop": 1, "ngettext": 2}
# The number of plural forms of a language, and the form for a number.
PLURALS = {
    "de": "nplurals=2; plural=(n != 1);",
    "es": "nplurals=2; plural=(n != 1);",
    "ar": "nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5);",
    "ja": "nplurals=1; plural=0;",
    "zh_Hans": "nplurals=1; plural=0;",
}
FUZZY = "#, fuzzy"


@dataclass(frozen=True)
class Message:
    """A text to translate; `plural` is empty where it has no number."""

    text: str
    plural: str = ""


def worker_templates() -> list[Path]:
    """Returns the templates with words to translate."""
    found = [path for path in sorted((ROOT / "templates").rglob("*.html")) if "i18n" in path.read_text()]
    return [path for path in found if path.relative_to(ROOT).as_posix() not in NOT_TRANSLATED]


def in_template(source: str) -> Iterator[Message]:
    """Yields the messages of a template, as Django's own reader of templates finds them."""
    for node in ast.walk(ast.parse("\n".join(_calls_in(templatize(source))))):
        if isinstance(node, ast.Call):
            yield _message(node)


def _calls_in(templatized: str) -> Iterator[str]:
    """Yields the calls in a source of `templatize`, in which everything else is blotted out."""
    for start in re.finditer(r"(?<![\w.])(?:n?gettext|_)\(", templatized):
        text = templatized[start.start() :]
        for end in (place.end() for place in re.finditer(r"\)", text)):
            try:
                ast.parse(text[:end])
            except SyntaxError:
                continue
            yield text[:end]
            break


def in_python(source: str) -> Iterator[Message]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CALLS and _is_text(node.args[0]):
            yield _message(node)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _message(call: ast.Call) -> Message:
    texts = [node.value for node in call.args[:2] if isinstance(node, ast.Constant)]
    return Message(*(str(text) for text in texts))


def messages() -> list[Message]:
    """Returns all words of the workers' pages, in the order of their files."""
    found: dict[Message, None] = {}
    for path in worker_templates():
        found |= dict.fromkeys(in_template(path.read_text()))
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            found |= dict.fromkeys(in_python(path.read_text()))
    from accounts.background_questions import LANGUAGES, QUESTIONS

    for question, answers in QUESTIONS.values():
        # The names of languages are in Django's own catalogue.
        texts = [question, *(() if answers is LANGUAGES else answers.values())]
        found |= dict.fromkeys(map(Message, texts))
    return list(found)


def read_po(path: Path) -> dict[Message, list[str]]:
    """Returns message -> its translations, one for each form of number. Leaves out fuzzy ones, which are guesses."""
    found: dict[Message, list[str]] = {}
    for block in re.split(r"\n\s*\n", path.read_text()) if path.exists() else ():
        fields: dict[str, str] = {}
        name = ""
        for line in block.splitlines():
            if line.startswith("msg"):
                name, _, text = line.partition(" ")
                fields[name] = ast.literal_eval(text)
            elif line.startswith('"'):
                fields[name] += ast.literal_eval(line)
        if fields.get("msgid") and FUZZY not in block:
            forms = [text for name, text in fields.items() if name.startswith("msgstr")]
            found[Message(fields["msgid"], fields.get("msgid_plural", ""))] = forms
    return found


def write_po(path: Path, language: str, known: dict[Message, list[str]], wanted: Iterable[Message]) -> None:
    blocks = [f'msgid ""\nmsgstr {_quoted(_header(language))}']
    forms = _number_of_forms(language)
    for message in wanted:
        said = known.get(message, [""] * (forms if message.plural else 1))
        lines = [f"msgid {_quoted(message.text)}"]
        if message.plural:
            lines += [f"msgid_plural {_quoted(message.plural)}"]
            lines += [f"msgstr[{number}] {_quoted(text)}" for number, text in enumerate(said)]
        else:
            lines += [f"msgstr {_quoted(said[0])}"]
        blocks.append("\n".join(lines))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n\n".join(blocks) + "\n")


def _header(language: str) -> str:
    return (
        f"Content-Type: text/plain; charset=UTF-8\nLanguage: {language}\nPlural-Forms: {PLURALS[language]}\n"
    )


def _number_of_forms(language: str) -> int:
    return int(PLURALS[language].split("=")[1].split(";")[0])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def compiled(language: str, known: dict[Message, list[str]]) -> bytes:
    """Returns the bytes of a .mo file, as gettext's manual describes it, without a hash table."""
    pairs = {"": _header(language)}
    for message, said in known.items():
        if all(said):
            pairs["\0".join(filter(None, (message.text, message.plural)))] = "\0".join(said)
    encoded = sorted((source.encode(), target.encode()) for source, target in pairs.items())
    tables: list[list[int]] = [[], []]
    data = b""
    start = 28 + 16 * len(encoded)
    for column in (0, 1):
        for pair in encoded:
            tables[column] += [len(pair[column]), start + len(data)]
            data += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(encoded), 28, 28 + 8 * len(encoded), 0, 0)
    return head + struct.pack(f"<{4 * len(encoded)}I", *tables[0], *tables[1]) + data


def po_file(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
    django.setup()
    wanted = messages()
    for language in PLURALS:
        path = po_file(language)
        known = read_po(path)
        write_po(path, language, known, wanted)
        known = {message: known[message] for message in wanted if message in known}
        path.with_suffix(".mo").write_bytes(compiled(language, known))
        missing = [message.text for message in wanted if not all(known.get(message, [""]))]
        sys.stdout.write(f"{language}: {len(wanted)} texts, {len(missing)} without a translation.\n")


if __name__ == "__main__":
    main()
