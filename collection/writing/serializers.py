"""Defines the requests and responses of REST for writing."""

from datetime import datetime
from typing import Any

from rest_framework import serializers

from collection.models import PromptField, WritingAssignment


class CorpusNameSerializer(serializers.Serializer):
    """A request for work."""

    corpus = serializers.SlugField(help_text="the corpus's slug")


class FieldSerializer(serializers.ModelSerializer):
    class Meta:
        model = PromptField
        fields = ["label", "wording", "reminder"]


class WritingTaskSerializer(serializers.Serializer):
    """A premise to write for; without one, `assignment` is null, and `why` and `retry_after` say more."""

    assignment = serializers.CharField(allow_null=True, help_text="send it back with the texts")
    leased_until = serializers.DateTimeField(required=False)
    premise = serializers.ListField(child=serializers.CharField(), help_text="its sentences, usually one")
    genre = serializers.CharField(required=False)
    prompt_version = serializers.IntegerField(
        required=False, help_text="the version that the pairs will name"
    )
    instructions = serializers.CharField(required=False, help_text="Markdown")
    care = serializers.CharField(required=False, help_text="Markdown; to be read before an upsetting text")
    fields_ = FieldSerializer(many=True, help_text="a text for each label, in this order")
    min_chars = serializers.IntegerField(required=False)
    max_chars = serializers.IntegerField(required=False)
    pay_cents = serializers.IntegerField(required=False)
    why = serializers.CharField(required=False)
    retry_after = serializers.IntegerField(required=False, help_text="seconds")

    def get_fields(self) -> dict[str, Any]:
        """Renames `fields_`, because the class itself has an attribute `fields`."""
        fields = super().get_fields()
        return {name.rstrip("_"): field for name, field in fields.items()}


def writing_task(assignment: WritingAssignment) -> dict[str, Any]:
    """Returns the content of WritingTaskSerializer for an assignment."""
    seat, version = assignment.seat, assignment.prompt_version
    until: datetime | None = seat.leased_until
    return {
        "assignment": assignment.token,
        "leased_until": until,
        "premise": seat.premise.sentences,
        "genre": seat.genre.slug,
        "prompt_version": version.number,
        "instructions": version.instructions,
        "care": version.care,
        "fields": list(version.fields.all()),
        "min_chars": assignment.corpus.min_hypothesis_chars,
        "max_chars": assignment.corpus.max_hypothesis_chars,
        "pay_cents": version.pay_cents,
    }


class WritingSerializer(serializers.Serializer):
    """A submission of texts."""

    assignment = serializers.CharField(max_length=22)
    texts = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False, max_length=100_000),
        help_text="label -> hypothesis",
    )
    problem = serializers.CharField(required=False, default="", allow_blank=True, max_length=2000)
    model_helped = serializers.BooleanField(
        required=False, default=False, help_text="whether a language model helped with these texts"
    )
    idempotency_key = serializers.CharField(max_length=100, help_text="a random UUID is a good one")


class WritingResultSerializer(serializers.Serializer):
    pairs = serializers.ListField(child=serializers.CharField(), help_text="public ids of the pairs")
    surplus = serializers.BooleanField(help_text="somebody else was first; stored and paid all the same")
    cents = serializers.IntegerField()
    repeated = serializers.BooleanField(help_text="this was saved before; nothing was done again")
