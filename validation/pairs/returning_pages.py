"""Pages of returned texts: the researcher's button, and the page on which the writer mends or declines."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import User
from accounts.pages.access import annotator_form, researcher_post
from accounts.people.consents import ConsentMissing
from collection.errors import InvalidWriting
from collection.models import Pair, ReturnedText
from collection.templatetags.labels import label_mark
from collection.texts import direction_of
from collection.writing.task_pages import ask_for_consent, unsaved_texts_shown_to_visitors
from collection.writing.who_may_write import texts_to_mend
from validation.errors import AlreadyDecided, ReasonMissing
from validation.pairs.returning import decline_text, mend_text, return_text, take_back_return, why_over


@researcher_post
def return_pair(request: HttpRequest, slug: str) -> HttpResponse:
    """Returns the pair of this public id (`pair`) to its writer with a `remark`; `do=undo` takes that back."""
    public_id = request.POST.get("pair", "").replace("\0", "")
    pair = get_object_or_404(Pair, corpus__slug=slug, public_id=public_id)
    try:
        if request.POST.get("do") == "undo":
            take_back_return(pair=pair)
            messages.success(request, "The pair counts again as it was.")
        else:
            remark = request.POST.get("remark", "").replace("\0", "")
            return_text(pair=pair, remark=remark, by=cast(User, request.user))
            messages.success(request, "The sentence is back with its writer.")
    except (AlreadyDecided, ReasonMissing) as refusal:
        messages.error(request, str(refusal))
    return redirect("pair", slug=slug, public_id=pair.public_id)


@unsaved_texts_shown_to_visitors
@annotator_form
def returned_text(request: HttpRequest, number: int) -> HttpResponse:
    """Shows a returned sentence to its writer with the remark; a POST mends it (`text`) or declines (`do`)."""
    writer = cast(User, request.user)
    mine = ReturnedText.objects.of(writer).select_related("pair__corpus", "pair__premise", "mended")
    returned = get_object_or_404(mine, pk=number)
    now = timezone.now()
    corpus, text, error = returned.pair.corpus, returned.pair.hypothesis, ""
    kept_as = f"{writer.code}:returned-{number}"  # under this name the page keeps what is typed on the device
    waits = texts_to_mend(writer, now).filter(pk=number).exists()
    if request.method == "POST":
        try:
            if request.POST.get("do") == "decline":
                decline_text(returned=returned, writer=writer)
                done = gettext("The sentence will not be used. You keep your pay.")
            else:
                text = request.POST.get("text", "").replace("\0", "")
                mend_text(returned=returned, writer=writer, text=text)
                done = gettext("Thank you. Your new sentence is saved.")
            messages.success(request, done, extra_tags=kept_as)
            return redirect("my-writing")
        except ConsentMissing:
            return ask_for_consent(request, corpus)
        except InvalidWriting as invalid:
            error = " ".join(invalid.errors.values())
        except AlreadyDecided:
            error, waits = gettext("Nothing was changed."), False
            returned.refresh_from_db()
    label = returned.pair.author_label or ""
    words = corpus.answer_words.get(label, label)
    context = {
        "returned": returned,
        "corpus": corpus,
        "label": label_mark(label, words),
        "text": text,
        "error": error,
        "waits": waits,
        "why_over": "" if waits else why_over(returned, now),
        "kept_as": kept_as,
        "direction": direction_of(corpus.language),
    }
    return render(request, "validation/pairs/returned_text.html", context, status=422 if error else 200)
