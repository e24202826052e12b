"""Permissions of the REST interface, and views that have them."""

from typing import Any

from django.http import HttpResponseBase
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import User
from accounts.people.gates import answering, let_in


class IsResearcher(BasePermission):
    message = "This is for the researchers of the project."

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.user, User) or not request.user.is_researcher:
            return False
        let_in(request._request, request.user)
        return True


class IsAnnotator(BasePermission):
    message = "This is for annotators. People who build a corpus do not label it with the same account."

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.user, User) and request.user.role == User.Role.ANNOTATOR


class ResearcherView(APIView):
    permission_classes = [IsResearcher]

    def dispatch(self, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with answering(None):  # the permission says for whom
            return super().dispatch(*args, **kwargs)


class AnnotatorView(APIView):
    permission_classes = [IsAnnotator]
