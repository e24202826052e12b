"""The tables [[levels]] of a corpus file: how writers rise and fall by the reviews of their sentences."""

from collections.abc import Iterator, Sequence

from pydantic import Field

from collection.corpus_schema.shared_tables import Count, Named, OneOrMore, Percent, Slug, Table, repeated
from schemas.base import Place, SchemaError


class LevelPart(Table):
    slug: Slug = Field(title="Short name")
    name: Named = Field(title="Name", description="what writers read")
    of: OneOrMore = Field(
        10,
        title="Reviews that decide",
        description="the latest so many reviews of sentences that were sent at this level decide",
    )
    rises_from: Percent = Field(
        0,
        title="Rises from, in percent of good sentences",
        description="so many percent of them good, or more: the next level; 0: nobody rises",
    )
    falls_below: Percent = Field(
        0,
        title="Falls below, in percent of good sentences",
        description="fewer than so many percent good: the level before, from the first one to a new exam; 0: nobody falls",
    )
    review_percent: Percent = Field(
        0,
        title="Sentences for review, in percent",
        description="at least so many percent of the sentences are drawn; what is more than the prompt’s share counts for "
        "levels alone",
    )
    pay_cents: Count = Field(
        0, title="More pay for a premise, in cents", description="on top of the prompt’s pay"
    )


def level_errors(
    levels: Sequence[LevelPart], place: Place, has_feedback: bool, has_exam: bool
) -> Iterator[SchemaError]:
    """Returns the errors of the tables. has_feedback: whether writers of a prompt read reviews."""
    yield from repeated(place, "slug", [each.slug for each in levels])
    for number, level in enumerate(levels):
        here = (*place, number)
        if level.rises_from and level is levels[-1]:
            yield SchemaError((*here, "rises_from"), "must be 0: there is no level above")
        if level.falls_below and level is levels[0] and not has_exam:
            what = 'wants writing = "exam": who falls below the first level takes the [exam] again'
            yield SchemaError((*here, "falls_below"), what)
        if level.rises_from and level.falls_below > level.rises_from:
            what = f"must not be more than rises_from, {level.rises_from}"
            yield SchemaError((*here, "falls_below"), what)
    if levels and not has_feedback:
        yield SchemaError(place, "want feedback = true in [[prompts]]: only its writers have levels")
