"""Tokens are shown once, stored as digests, and end by time or by hand."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts.models import ApiToken
from accounts.sign_in.tokens import create_api_token
from tests.cast import PASSWORD

pytestmark = pytest.mark.django_db


class WhoAmI(APIView):
    permission_classes = [IsAuthenticated]

    def get(self, request):
        return Response({"code": request.user.code})


def ask(header):
    headers = {"HTTP_AUTHORIZATION": header} if header else {}
    return WhoAmI.as_view()(APIRequestFactory().get("/", **headers)).render()


@pytest.mark.parametrize("keyword", ["Token", "Bearer", "token"])
def test_token_says_who_it_is(ana, keyword):
    answer = ask(f"{keyword} {create_api_token(user=ana, name='script')}")
    assert answer.data == {"code": ana.code}


@pytest.mark.parametrize("header", ["", "Token", "Token nonsense", "Token a b", "Bearer \xff", "Basic YTpi"])
def test_no_token_or_a_wrong_one_is_401_with_the_way_in(header):
    answer = ask(header)
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"].startswith("Token")
    assert answer["Content-Type"] == "application/problem+json"


def test_token_ends_at_its_time(ana):
    now = timezone.now()
    ended = create_api_token(user=ana, name="ended", expires_at=now - timedelta(seconds=1))
    answer = ask(f"Token {ended}")
    assert answer.status_code == 401
    assert "has expired" in answer.data["detail"]
    assert (
        ask(f"Token {create_api_token(user=ana, name='on', expires_at=now + timedelta(1))}").status_code
        == 200
    )


def test_token_of_a_closed_account_opens_nothing(ana):
    token = create_api_token(user=ana, name="script")
    ana.is_active = False
    ana.save()
    assert ask(f"Token {token}").status_code == 401


def test_database_does_not_know_the_token(ana):
    token = create_api_token(user=ana, name="script")
    row = ApiToken.objects.values().get()
    assert token not in str(row)
    assert token.startswith("quintet_")


def test_making_one_clears_away_the_ended(ana):
    create_api_token(user=ana, name="old", expires_at=timezone.now() - timedelta(1))
    create_api_token(user=ana, name="new")
    assert [token.name for token in ana.api_tokens.all()] == ["new"]


def test_page_shows_a_new_token_once(browser_of, ana):
    browser = browser_of(ana)
    answer = browser.post(reverse("make-token"), {"name": "my script", "days": "30", "password": PASSWORD})
    token = answer.context["new_token"]
    assert token in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert ask(f"Token {token}").data == {"code": ana.code}
    later = browser.get(reverse("mine")).content.decode()
    assert token not in later
    assert "my script" in later


def test_token_without_a_name_is_asked_for_one(browser_of, ana):
    answer = browser_of(ana).post(reverse("make-token"), {"name": " ", "days": "0", "password": PASSWORD})
    assert answer.status_code == 422
    assert "Please say what the token is for" in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_only_the_owner_ends_a_token(browser_of, ana, stan):
    create_api_token(user=ana, name="script")
    url = reverse("revoke-token", args=[ApiToken.objects.get().pk])
    browser_of(stan).post(url)
    assert ApiToken.objects.exists()
    browser_of(ana).post(url)
    assert not ApiToken.objects.exists()


def test_password_buys_a_token_for_a_month(client, ana):
    answer = client.post(reverse("api-token"), {"username": "ana", "password": PASSWORD}, "application/json")
    assert ask(f"Token {answer.json()['token']}").data == {"code": ana.code}
    now = timezone.now()
    ending = ApiToken.objects.filter(
        expires_at__gt=now + timedelta(days=29), expires_at__lte=now + timedelta(days=30)
    )
    assert ending.count() == 1


def test_wrong_password_buys_nothing(client, ana):
    answer = client.post(reverse("api-token"), {"username": "ana", "password": "x"}, "application/json")
    assert answer.status_code == 401
    assert "Wrong user name or password" in answer.json()["detail"]


def test_missing_password_is_named(client):
    answer = client.post(reverse("api-token"), {"username": "ana"}, "application/json")
    assert answer.status_code == 422
    assert list(answer.json()["errors"]) == ["password"]
