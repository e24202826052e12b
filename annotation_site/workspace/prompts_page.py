"""Two versions of prompts side by side: what writers did under each, and the words in which they differ."""

from itertools import pairwise

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render

from accounts.pages.access import researcher_page
from annotation_site.workspace.prompts_charts import prompts_charts
from collection.models import Corpus, PromptVersion
from collection.writing.versions import differences, statistics_of
from shared.figures import of_page


@researcher_page
def compare_prompts(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Shows two versions of prompts side by side: `?first=` and `?second=`; unasked, the two newest of one prompt."""
    corpus = get_object_or_404(Corpus, slug=slug)
    versions, two = chosen_versions(corpus, request.GET.get("first", ""), request.GET.get("second", ""))
    compared = [(version, statistics_of(version)) for version in two]
    chosen = dict(zip(("first", "second"), (version.pk for version in two), strict=False))
    context = {
        "corpus": corpus,
        "versions": versions,
        "two": compared,
        "charts": of_page("prompts", corpus, prompts_charts(corpus, compared), **chosen),
        "words": list(differences(two[0].instructions, two[1].instructions)) if len(two) == 2 else [],
    }
    return render(request, "workspace/compare_prompts.html", context)


def chosen_versions(corpus: Corpus, *keys: str) -> tuple[list[PromptVersion], list[PromptVersion]]:
    """Returns all versions of the corpus, and the two with these keys; else the two newest of one prompt."""
    versions = list(
        PromptVersion.objects.filter(prompt__corpus=corpus)
        .select_related("prompt__corpus")
        .prefetch_related("fields")
        .order_by("prompt__slug", "-number")
    )
    by_key = {str(version.pk): version for version in versions}
    two = [by_key[key] for key in keys if key in by_key]
    if len(two) < 2:
        of_one = ([old, new] for new, old in pairwise(versions) if new.prompt_id == old.prompt_id)
        two = next(of_one, versions[:2])
    return versions, two
