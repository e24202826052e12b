"""Pages: invitations of a corpus by e-mail, and what their links show."""

from functools import partial
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_supported_language_variant, override
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.pages.access import researcher_form
from accounts.pages.forgotten import Mail, send_soon
from collection.joining.entry_links import EntryRefused
from collection.joining.entry_pages import account_page
from collection.models import Corpus, Invitation
from shared.csv_files import csv_file
from shared.sorted_lists import list_as_csv, sorted_list
from shared.tables import Column
from validation.annotators import invitations
from validation.questions.addresses import number_in, text_in

MOST_ID = 2**62
SENDS_NOTHING = "django.core.mail.backends.console.EmailBackend"
SHOWN = 500


def sends_mail() -> bool:
    """Returns whether a mail server is configured; without one, mails are printed into the log."""
    return settings.EMAIL_BACKEND != SENDS_NOTHING


@researcher_form
def invitations_page(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Shows the invitations of a corpus with their links, and makes more from a pasted list; `as=csv`: the links."""
    corpus = get_object_or_404(Corpus, slug=slug)
    text, faults = text_in(request, "addresses"), []
    if request.method == "POST" and (number := number_in(request, "take_back", 0, MOST_ID)):
        if invitations.take_back(corpus=corpus, number=number):
            messages.success(request, "The invitation is taken back. Its link lets nobody in.")
        return redirect("invitations", slug)
    if request.method == "POST":
        read = invitations.addresses_in(text)
        faults = read.faults or ([] if read.good else ["There is no address. Paste one a line."])
        if not faults:
            _invite(request, corpus, read.good)
            return redirect("invitations", slug)
    columns = _columns(request)
    rows = corpus.invitations.select_related("user").order_by("-pk")
    if request.GET.get("as") == "csv":
        return csv_file(list_as_csv(list(rows), columns), f"{slug}-invitations")
    shown = list(rows[:SHOWN])
    for row in shown:
        row.link = _link(request, row)  # type: ignore[attr-defined]
    table = sorted_list(request, shown, columns, "-created")
    context = {
        "corpus": corpus,
        "table": table,
        "number": rows.count(),
        "text": text,
        "faults": faults,
        "sends_mail": sends_mail(),
        "most": invitations.MOST,
        "has_question": corpus.questions.filter(is_main=True).exists(),
    }
    return render(request, "annotation_site/invitations.html", context, status=422 if faults else 200)


def _columns(request: HttpRequest) -> list[Column]:
    return [
        Column("email", "Address", value=lambda row: row.email),
        Column("created", "Invited", value=lambda row: row.created_at, largest_first=True),
        Column("accepted", "Accepted", value=lambda row: row.accepted_at, largest_first=True),
        Column("code", value=lambda row: row.user.code if row.user else "", on_page=False),
        Column("link", value=lambda row: "" if row.user else _link(request, row), on_page=False),
    ]


def _link(request: HttpRequest, invitation: Invitation) -> str:
    return request.build_absolute_uri(reverse("invited", args=[invitation.token]))


def _invite(request: HttpRequest, corpus: Corpus, addresses: list[str]) -> None:
    """Makes the invitations, sends them if a mail server is configured, and says what was done."""
    made = invitations.make_invitations(corpus=corpus, addresses=addresses, by=cast(User, request.user))
    said = f"{len(made)} invitation{'' if len(made) == 1 else 's'} made."
    if before := len(addresses) - len(made):
        said += f" {before} had {'one' if before == 1 else 'theirs'} before."
    if made and sends_mail():
        send_soon(*(_mail(request, corpus, each) for each in made))
        Invitation.objects.filter(pk__in=[each.pk for each in made]).update(mailed_at=timezone.now())
        said += " The mails are on their way."
    elif made:
        said += " No mail was sent, since no mail server is configured: copy or download the links."
    messages.success(request, said)


def _mail(request: HttpRequest, corpus: Corpus, invitation: Invitation) -> Mail:
    """Returns the mail, in the language of the corpus if the site speaks it."""
    try:
        language = get_supported_language_variant(corpus.language)
    except LookupError:
        language = settings.LANGUAGE_CODE
    with override(language):
        context = {"corpus": corpus, "link": _link(request, invitation)}
        text = render_to_string("accounts/mails/invitation.txt", context)
    subject, _, body = text.partition("\n")
    return Mail(subject, body.lstrip(), invitation.email)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invited(request: HttpRequest, token: str) -> HttpResponse:
    """Makes an account for the corpus of an invitation, or lets somebody who has one join."""
    try:
        invitation = invitations.open_invitation(token)
        make = partial(invitations.accept_with_new_account, token=token)
        join = partial(invitations.accept, token=token)
        return account_page(request, invitation.corpus, make, join, is_invited=True)
    except EntryRefused as refusal:
        return render(request, "annotation_site/not_invited.html", {"refusal": str(refusal)}, status=403)
