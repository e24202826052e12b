"""Pages of returned texts: the researcher's button, and the page on which the writer mends or declines."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.pages.access import annotator_required, researcher_required
from accounts.people.consents import ConsentMissing
from collection.errors import InvalidWriting
from collection.models import Pair, ReturnedText
from collection.templatetags.labels import label_mark
from collection.texts import direction_of
from collection.writing.who_may_write import texts_to_mend
from validation.errors import AlreadyDecided, ReasonMissing
from validation.pairs.returning import decline_text, mend_text, return_text, take_back_return


@require_POST
@researcher_required
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


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@annotator_required
def returned_text(request: HttpRequest, number: int) -> HttpResponse:
    """Shows a returned sentence to its writer with the remark; a POST mends it (`text`) or declines (`do`)."""
    writer = cast(User, request.user)
    mine = ReturnedText.objects.of(writer).select_related("pair__corpus", "pair__premise")
    returned = get_object_or_404(mine, pk=number)
    corpus, text, error = returned.pair.corpus, returned.pair.hypothesis, ""
    waits = texts_to_mend(writer, timezone.now()).filter(pk=number).exists()
    if request.method == "POST":
        try:
            if request.POST.get("do") == "decline":
                decline_text(returned=returned, writer=writer)
                messages.success(request, gettext("You left the sentence as it was. It is not used."))
            else:
                text = request.POST.get("text", "").replace("\0", "")
                mend_text(returned=returned, writer=writer, text=text)
                messages.success(request, gettext("Thank you. The mended sentence is saved."))
            return redirect("writing", corpus=corpus.slug)
        except ConsentMissing:
            here = urlencode({"next": request.path})
            return redirect(f"{reverse('consent', args=[corpus.consent_form_id])}?{here}")
        except InvalidWriting as invalid:
            error = " ".join(invalid.errors.values())
        except AlreadyDecided as refusal:
            error, waits = str(refusal), False
    label = returned.pair.author_label or ""
    words = corpus.answer_words.get(label, label)
    context = {
        "returned": returned,
        "corpus": corpus,
        "label": label_mark(label, words),
        "text": text,
        "error": error,
        "waits": waits,
        "direction": direction_of(corpus.language),
    }
    return render(request, "validation/pairs/returned_text.html", context, status=422 if error else 200)
