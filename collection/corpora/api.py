"""REST: corpora."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import ListAPIView, RetrieveAPIView

from accounts.rest.paging import KeyPages
from collection.models import Corpus


class CorpusSerializer(serializers.ModelSerializer):
    labels = serializers.SerializerMethodField(help_text="the labels of the scheme, in their order")

    class Meta:
        model = Corpus
        fields = [
            "slug",
            "name",
            "description",
            "scheme",
            "labels",
            "protocol",
            "language",
            "licence",
            "made_for_demo",
            "created_at",
        ]

    def get_labels(self, corpus: Corpus) -> list[str]:
        return list(corpus.labels)


class BySlug(KeyPages):
    ordering = "slug"
    position = "slug"
    max_page_size = 100


@extend_schema(summary="All corpora", tags=["corpora"])
class CorpusList(ListAPIView):
    queryset = Corpus.objects.all()
    serializer_class = CorpusSerializer
    pagination_class = BySlug

    def get_queryset(self) -> Any:
        return _seen(self.request.user)


@extend_schema(summary="One corpus", tags=["corpora"])
class CorpusDetail(RetrieveAPIView):
    queryset = Corpus.objects.all()
    serializer_class = CorpusSerializer
    lookup_field = "slug"

    def get_queryset(self) -> Any:
        return _seen(self.request.user)


def _seen(user: Any) -> Any:
    """Returns the corpora of a researcher. To annotators all are named: they may be invited to any."""
    return Corpus.objects.of(user) if user.is_researcher else Corpus.objects.all()
