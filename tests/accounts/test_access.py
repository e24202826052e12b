"""Access to pages: visitors sign in first; the wrong role gets a polite error."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.test import RequestFactory
from django.urls import reverse
from django_htmx.middleware import HtmxMiddleware

from accounts.pages import access

pytestmark = pytest.mark.django_db


def page(request):
    return HttpResponse("inside")


def visit(view, user, method="get", **headers):
    request = getattr(RequestFactory(), method)("/work/?q=1", **headers)
    request.user = user
    HtmxMiddleware(lambda request: HttpResponse())(request)
    return view(request)


def test_everybody_signed_in_may_enter_a_page_for_the_signed_in(ana, rosa, stan):
    view = access.signed_in_required(page)
    assert {visit(view, user).content for user in (ana, rosa, stan)} == {b"inside"}


def test_researchers_do_not_work_as_annotators(ana, rosa):
    view = access.annotator_required(page)
    assert visit(view, ana).content == b"inside"
    with pytest.raises(PermissionDenied, match="for annotators"):
        visit(view, rosa)


def test_annotators_do_not_see_what_researchers_see(ana, rosa):
    view = access.researcher_required(page)
    assert visit(view, rosa).content == b"inside"
    with pytest.raises(PermissionDenied, match="for the researchers"):
        visit(view, ana)


def test_stranger_comes_back_to_the_page_after_signing_in():
    answer = visit(access.annotator_required(page), AnonymousUser())
    assert answer["Location"] == "/sign-in/?next=/work/%3Fq%3D1"


def test_stranger_who_sent_something_comes_back_to_the_page_it_was_sent_from():
    answer = visit(
        access.annotator_required(page), AnonymousUser(), "post", HTTP_REFERER="http://testserver/form/?a=b"
    )
    assert answer["Location"] == "/sign-in/?next=/form/%3Fa%3Db"


def test_fragment_for_a_stranger_moves_the_whole_page():
    answer = visit(
        access.annotator_required(page),
        AnonymousUser(),
        HTTP_HX_REQUEST="true",
        HTTP_HX_CURRENT_URL="http://testserver/form/",
    )
    assert answer["HX-Redirect"] == "/sign-in/?next=/form/"


@pytest.mark.parametrize("name", ["mine", "make-token"])
def test_strangers_see_nobody_s_page(client, name):
    answer = client.post(reverse(name)) if name == "make-token" else client.get(reverse(name))
    assert answer["Location"].startswith(reverse("sign-in"))


def test_home_is_open_and_offers_what_fits(client, browser_of, ana, rosa):
    assert 'href="/sign-in/"' in client.get("/").content.decode()
    assert f'href="{reverse("start")}"' in browser_of(ana).get("/").content.decode()
    assert "Workspace" not in browser_of(ana).get("/").content.decode()
    assert f'href="{reverse("admin:index")}">Workspace' in browser_of(rosa).get("/").content.decode()
