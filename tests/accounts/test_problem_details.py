"""REST errors are problem details (RFC 9457): what is wrong, which field, what to do."""

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import serializers
from rest_framework.exceptions import ParseError, Throttled
from rest_framework.permissions import AllowAny
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts.errors import AccountsError
from accounts.idempotency import KeyReused
from accounts.rest.problems import Problem
from accounts.sign_in.throttle import TooManyAttempts


class Item(serializers.Serializer):
    answer = serializers.CharField()


class Batch(serializers.Serializer):
    assignment = serializers.CharField()
    items = Item(many=True)
    texts = serializers.DictField(child=serializers.CharField())

    def validate(self, attrs):
        raise serializers.ValidationError("These do not fit together.")


def answer_to(error):
    class Failing(APIView):
        authentication_classes = []
        permission_classes = [AllowAny]

        def get(self, request):
            raise error

    response = Failing.as_view()(APIRequestFactory().get("/", HTTP_ACCEPT="text/html, */*"))
    return response.render()


def refused(data):
    try:
        Batch(data=data).is_valid(raise_exception=True)
    except serializers.ValidationError as error:
        return answer_to(error).data


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Http404(), 404),
        (PermissionDenied(), 403),
        (ParseError(), 400),
        (Throttled(wait=7), 429),
        (KeyReused(), 409),
        (TooManyAttempts(7), 429),
        (AccountsError("No."), 422),
        (Problem(status=409, detail="Somebody else was faster."), 409),
    ],
)
def test_every_error_has_the_same_shape(error, status):
    response = answer_to(error)
    assert response.status_code == status
    assert response["Content-Type"] == "application/problem+json"
    assert set(response.data) == {"type", "title", "status", "detail"}
    assert response.data["status"] == status
    assert response.data["title"]
    assert response.data["detail"]


def test_waiting_time_is_a_header():
    assert answer_to(TooManyAttempts(7))["Retry-After"] == "7"
    assert answer_to(Problem(status=409, detail="Nothing to do.", retry_after=60))["Retry-After"] == "60"


def test_problem_says_its_own_title_and_fields():
    data = answer_to(
        Problem(status=422, title="Wrong label", detail="One.", errors={"s1": "No such label."})
    ).data
    assert data["title"] == "Wrong label"
    assert data["errors"] == {"s1": ["No such label."]}


def test_fields_are_named_with_dots():
    data = refused({"items": [{"answer": "x"}, {}], "texts": {"neutral": ""}})
    assert data["status"] == 422
    assert set(data["errors"]) == {"assignment", "items.1.answer", "texts.neutral"}
    assert "items.1.answer: This field is required." in data["detail"]


def test_error_of_the_whole_is_said_plainly():
    data = refused({"assignment": "a", "items": [], "texts": {}})
    assert data["detail"] == "These do not fit together."


def test_unknown_errors_are_left_to_the_server():
    with pytest.raises(ZeroDivisionError):
        answer_to(ZeroDivisionError())
