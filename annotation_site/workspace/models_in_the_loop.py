"""How often frozen runs were wrong about what people wrote against them, and whether others upheld it."""

from typing import Any

from django.db.models import Avg, Count, F, Q, QuerySet, Sum

from collection.answering import CannotAnswer, answers_to
from collection.models import Corpus, Guidance, PromptVersion
from collection.models.querysets import fooled
from shared.figures import Figure, picture
from shared.intervals import wilson
from shared.numbers import percent
from shared.tables import AFTER_WILSON, Column, Row, Table, interval
from validation.quality_control.fooled_models import UPHOLD, bonus_paid, judged_by, upheld_by
from validation.statistics.scope import CORPUS

# Of a pair that was imported, the line names the arm alone.
GROUP = {
    "arm": F("pair__arm"),
    "prompt": F("pair__prompt_version__prompt__slug"),
    "run": F("pair__prompt_version__run"),
    "run_name": F("pair__prompt_version__run_name"),
}


def _by_group(rows: QuerySet[Guidance], **counted: Any) -> dict[tuple[Any, ...], dict[str, Any]]:
    found = rows.order_by().values(**{f"of_{name}": path for name, path in GROUP.items()}).annotate(**counted)
    return {tuple(row.pop(f"of_{name}") for name in GROUP): row for row in map(dict, found)}


def _rows(corpus: Corpus) -> list[Row]:
    answered = Guidance.objects.filter(pair__corpus=corpus, pair__withdrawn_at=None).exclude(model_answer="")
    counts = _by_group(
        answered,
        pairs=Count("pk"),
        tries=Avg("model_tries"),
        fooled=Count("pk", filter=fooled()),
        alone=Count("pk", filter=Q(twin_answer=F("pair__author_label"))),
    )
    wrong = answered.filter(fooled()).annotate(upheld=upheld_by(), judged=judged_by(), paid=bonus_paid())
    found = _by_group(
        wrong,
        judged=Count("pk", filter=Q(judged__gte=UPHOLD)),
        upheld=Count("pk", filter=Q(upheld__gte=UPHOLD)),
        bonuses=Sum("paid"),
    )
    return [_row(key, each, found.get(key, {})) for key, each in sorted(counts.items(), key=_in_order)]


def _in_order(group: tuple[tuple[Any, ...], Any]) -> list[str]:
    return [str(each or "") for each in group[0]]


def _row(key: tuple[Any, ...], each: dict[str, Any], wrong: dict[str, Any]) -> Row:
    arm, prompt, run, name = key
    verified = wrong.get("upheld", 0) / each["pairs"]
    low, high = wilson(verified, each["pairs"])
    return {
        "arm": arm or prompt or "",
        "model": f"run {run}, {name}" if run else "",
        "pairs": each["pairs"],
        "tries": each["tries"],
        "fooled": each["fooled"] / each["pairs"],
        "judged": wrong.get("judged", 0),
        "upheld": wrong.get("upheld", 0),
        "verified": verified,
        "low": low,
        "high": high,
        "alone": each["alone"] / each["pairs"],
        "bonuses": wrong.get("bonuses") or 0,
    }


def _found(table: Table) -> str:
    pairs = sum(row["pairs"] for row in table.rows)
    wrong = sum(row["fooled"] * row["pairs"] for row in table.rows)
    upheld = sum(row["upheld"] for row in table.rows)
    return (
        f"The model was wrong about {percent(wrong / pairs)} of {pairs:,} sentences; two validators upheld "
        f"{upheld:,} of these {round(wrong):,}"
    )


LOOP = Figure(
    "model-in-the-loop",
    "How often the model was wrong",
    CORPUS,
    _rows,
    (
        Column("arm", "arm"),
        Column(
            "model", "model", "text", "The run that answered. It is the same for all sentences of an arm."
        ),
        Column("pairs", "sentences", "count", "Sent, and answered by the model as they were sent."),
        Column(
            "tries",
            "wordings a sentence",
            "number",
            "That the model answered, the one that was sent among them.",
        ),
        Column(
            "fooled",
            "model wrong",
            "share",
            "It gave another label than the writer to the sentence that was sent.",
        ),
        Column("judged", "of these judged", "count", "Two validators or more have judged the sentence."),
        Column("upheld", "and upheld", "count", "Two validators or more chose the writer’s label."),
        Column(
            "verified",
            "wrong and upheld",
            "share",
            "Of all sentences; it grows until all are judged. Nie et al. 2020 (Adversarial NLI, section 2.1) verify so.",
        ),
        *interval(AFTER_WILSON),
        Column("alone", "twin right", "share", "Its hypothesis-only twin gave the writer’s label."),
        Column("bonuses", "bonuses", "cents", "Paid for sentences that were upheld."),
    ),
    picture("dots", y="arm", x="verified", low="low", high="high", n="pairs"),
    finding=_found,
    only_with_rows=True,
)


def why_silent(corpus: Corpus) -> dict[str, str]:
    """Returns what the page says of each prompt whose newest version names a run: why it does not answer now, or nothing."""
    newest = PromptVersion.objects.newest().filter(prompt__corpus=corpus, run__gt=0).select_related("prompt")
    said = {}
    for version in newest.order_by("prompt__slug"):
        run = version.frozen_run
        assert run is not None
        name = f"{version.prompt.slug}: run {run.run} ({run.run_name})"
        try:
            answers_to(run, [""], {})
        except CannotAnswer as why:
            said[name] = str(why)
        else:
            said[name] = ""
    return said
