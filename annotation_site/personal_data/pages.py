"""Pages where people download their data and delete their account."""

import json
from typing import cast

from django.contrib import messages
from django.contrib.auth import logout
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.pages.access import confirmed, own_required, visitors_language
from accounts.pages.forms import ErasureForm
from accounts.people.erasure import OnlyAdministrator
from annotation_site.personal_data.records import erase, everything_about


@require_safe
@never_cache
@own_required
def my_data(request: HttpRequest) -> StreamingHttpResponse:
    """Downloads everything stored about the person, as JSON Lines."""
    rows = everything_about(cast(User, request.user))
    lines = (json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False) + "\n" for row in rows)
    answer = StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="my-data.jsonl"'
    return answer


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@own_required
def erase_me(request: HttpRequest) -> HttpResponse:
    """Explains what is deleted and what stays, and deletes the account if the person enters their code."""
    user = cast(User, request.user)
    form = ErasureForm(request.POST or None, user=user)
    if confirmed(request, form):
        try:
            erase(user)
        except OnlyAdministrator as refusal:
            form.add_error(None, str(refusal))
        else:
            logout(request)
            with visitors_language(request):
                messages.success(request, gettext("Your account has been deleted."))
            return redirect("sign-in")
    status = 422 if form.is_bound else 200
    context = {"form": form, "unpaid": user.ledger.unpaid().of_real_studies().total_cents()}
    return render(request, "annotation_site/erase_me.html", context, status=status)
