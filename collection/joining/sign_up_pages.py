"""The page on which people make an account by themselves."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.pages.forms import SignUpForm
from accounts.people.registration import NameTaken
from accounts.sign_in.client_address import client_address
from accounts.sign_in.throttle import TooManyAttempts
from collection.joining import sign_ups
from collection.joining.estimates import writing_task
from collection.models import WRITING_EXAM, Corpus, Exam


@never_cache
@sensitive_post_parameters()
@sensitive_variables("form")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_up(request: HttpRequest, slug: str) -> HttpResponse:
    """Makes an account and leads to the exam. Somebody who has an account joins the corpus with it."""
    corpus = get_object_or_404(Corpus, slug=slug, sign_up=True)
    form, locked = None, None
    if not isinstance(request.user, User):
        form = SignUpForm(request.POST or None)
        if form.is_valid():
            given = {"username": form.cleaned_data["username"], "password": form.cleaned_data["new"]}
            try:
                user = sign_ups.sign_up(corpus=corpus, **given, address=client_address(request))
            except TooManyAttempts as refusal:
                locked = refusal
                locked_text = gettext("Too many accounts were made from this network.")
                form.add_error(None, f"{locked_text} {refusal.look_again}")
            except NameTaken as refusal:
                form.add_error("username", str(refusal))
            else:
                login(request, user, backend="accounts.sign_in.sessions.Backend")
                return redirect(_first_page(corpus))
    elif request.method == "POST" and not request.user.is_researcher:
        sign_ups.join(corpus=corpus, annotator=request.user)
        return redirect(_first_page(corpus))
    status = 429 if locked else 422 if form is not None and form.is_bound else 200
    has_exam = Exam.objects.filter(corpus=corpus, is_open=True).exists()
    writing = writing_task(corpus.pk)
    context = {
        "corpus": corpus,
        "form": form,
        "has_exam": has_exam,
        "writing_cents": writing.cents if writing else 0,
    }
    page = render(request, "collection/joining/sign_up.html", context, status=status)
    if locked:
        page["Retry-After"] = str(locked.retry_after)
    return page


def _first_page(corpus: Corpus) -> str:
    has_exam = Exam.objects.filter(corpus=corpus, slug=WRITING_EXAM, is_open=True).exists()
    return reverse("exam", args=[corpus.slug]) if has_exam else reverse("start")
