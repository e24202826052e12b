"""REST paths of collection, under /api/v1/."""

from django.urls import path, re_path

from collection.writing import api

urlpatterns = [
    path("corpora/", api.CorpusList.as_view(), name="api-corpora"),
    path("corpora/<slug:slug>/", api.CorpusDetail.as_view(), name="api-corpus"),
    re_path(r"^work/writing/next/?$", api.NextWriting.as_view(), name="api-writing-next"),
    re_path(r"^work/writing/submit/?$", api.SubmitWriting.as_view(), name="api-writing-submit"),
]
