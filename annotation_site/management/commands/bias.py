"""`bias CORPUS [--by KEY]`: what the hypotheses of a corpus give away, before anybody labels it."""

import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation_site.researchers.corpus_bias import BY, NoSuchProperty, bias_of
from shared.numbers import percent
from validation.questions.lookup import question_for_command
from validation.statistics.cached import Kind, store, stored


class Command(BaseCommand):
    help = (
        "Shows shares of labels, repeated hypotheses, words that go with a label, and how often the hypothesis alone finds"
        " the label, of the labelled pairs of a corpus. No snapshot is needed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", metavar="CORPUS")
        parser.add_argument(
            "--by",
            default="",
            metavar="KEY",
            help=f"rows by {', '.join(BY)}, or a key of the metadata, such as misc.property; default genre",
        )
        parser.add_argument("--json", action="store_true", help="print JSON, and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        question = question_for_command(options["corpus"])
        try:
            # Without a key it is what pages show, and what is asked for before pairs are opened.
            row = None if options["by"] else store(question=question, kind=Kind.BIAS)
            bias = stored(question, Kind.BIAS)[0] if row else bias_of(question, options["by"])
        except NoSuchProperty as problem:
            raise CommandError(str(problem)) from None
        if not bias["pairs"]:
            raise CommandError(
                f"{options['corpus']} has no pair with a label yet. Import pairs with labels first."
            )
        self.stdout.write(json.dumps(bias) if options["json"] else "\n".join(lines(bias)))


REASONS = {
    "above": "more often right than the commonest label",
    "below": "less often right than guesses of the same shares",
}


def _reason(row: dict[str, Any]) -> str:
    word = row["word"]
    by_word = f"“{word['word']}”: {word['label']} in {word['p']:.2f} of {word['count']:,}" if word else ""
    return "; ".join(filter(None, (REASONS.get(row["why"]), by_word)))


def lines(bias: dict[str, Any]) -> Iterator[str]:
    for row in bias["groups"]:
        name = "all" if row["group"] is None else row["group"] or "-"
        guess = (
            ""
            if row["hypothesis_only"] is None
            else (
                f"; the hypothesis alone finds the label of {percent(row['hypothesis_only'])} of {row['tried']:,}"
                f" (commonest label there: {percent(row['commonest_there'])})"
            )
        )
        flag = f"  GIVES AWAY ({_reason(row)})" if row["gives_away"] else ""
        shares = ", ".join(f"{label} {number:,}" for label, number in row["labels"].items())
        yield f"{name}: {row['pairs']:,} pairs, {shares}; commonest {percent(row['commonest'])}{guess}{flag}"
    yield f"The classifier was tried on {bias['tried_on']}."
    repeated = bias["repeated"]
    yield (
        f"{repeated['pairs']:,} pairs share a hypothesis with another pair: {repeated['hypotheses']:,} hypotheses, of which"
        f" {repeated['with_one_label']:,} always have the same label"
    )
    for what, key in (("words", "giveaways"), ("neighbouring words", "giveaway_pairs")):
        for label, words in bias[key].items():
            shown = ", ".join(f"{each['word']} ({each['count']:,}, {each['p']:.2f})" for each in words)
            yield f"{what} that go with {label}: {shown or 'none'}"
