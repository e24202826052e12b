"""REST paths of collection, under /api/v1/."""

from django.urls import path, re_path

from collection.corpora import api as corpora
from collection.writing import api as writing

urlpatterns = [
    path("corpora/", corpora.CorpusList.as_view(), name="api-corpora"),
    path("corpora/<slug:slug>/", corpora.CorpusDetail.as_view(), name="api-corpus"),
    path("corpora/<slug:slug>/arms/", writing.Arms.as_view(), name="api-arms"),
    re_path(r"^work/writing/next/?$", writing.NextWriting.as_view(), name="api-writing-next"),
    re_path(r"^work/writing/submit/?$", writing.SubmitWriting.as_view(), name="api-writing-submit"),
]
