"""REST: the members of a corpus."""

from typing import cast

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.rest.openapi import checked
from accounts.rest.permissions import ResearcherView
from accounts.rest.problems import of_status, problems
from collection.members.actions import MemberRefused, give_role, remove_member, researcher_named
from collection.models import Corpus, CorpusMember


class NewMemberSerializer(serializers.Serializer):
    who = serializers.CharField(max_length=150, help_text="user name or code of a researcher")
    role = serializers.ChoiceField(choices=CorpusMember.Role.choices)


class MemberSerializer(serializers.ModelSerializer):
    user_name = serializers.CharField(source="user.username")
    code = serializers.CharField(source="user.code")
    by = serializers.CharField(source="by.username", default=None, allow_null=True)

    class Meta:
        model = CorpusMember
        fields = ["user_name", "code", "role", "since", "by"]


class MembersView(ResearcherView):
    @extend_schema(summary="Who belongs to a corpus", responses=MemberSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        rows = (
            get_object_or_404(Corpus, slug=slug).members.select_related("user", "by").order_by("since", "pk")
        )
        return Response(MemberSerializer(rows, many=True).data)

    @extend_schema(
        summary="Give a researcher a role in a corpus",
        description="For owners. 409 for somebody who is no researcher, and where the last owner would get another role.",
        request=NewMemberSerializer,
        responses={200: MemberSerializer, **of_status(409)},
    )
    def post(self, request: Request, slug: str) -> Response:
        corpus, asked = get_object_or_404(Corpus, slug=slug), checked(NewMemberSerializer, request.data)
        with problems({MemberRefused: 409}):
            who = researcher_named(asked["who"])
            made = give_role(corpus=corpus, user=who, role=asked["role"], by=cast(User, request.user))
        return Response(MemberSerializer(made).data)


class MemberView(ResearcherView):
    @extend_schema(
        summary="End a researcher's membership",
        description="For owners. 409 for the last owner.",
        responses={204: None, **of_status(409)},
    )
    def delete(self, request: Request, slug: str, code: str) -> Response:
        corpus = get_object_or_404(Corpus, slug=slug)
        member = get_object_or_404(corpus.members.select_related("user"), user__code=code)
        with problems({MemberRefused: 409}):
            remove_member(corpus=corpus, user=member.user, by=cast(User, request.user))
        return Response(status=status.HTTP_204_NO_CONTENT)
