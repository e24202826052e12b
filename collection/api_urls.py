"""REST paths of collection, under /api/v1/."""

from django.urls import path, re_path

from collection.corpora import api as corpora
from collection.members import api as members
from collection.writing import api as writing
from collection.writing import review_api as reviews

urlpatterns = [
    path("corpora/", corpora.CorpusList.as_view(), name="api-corpora"),
    path("corpora/<slug:slug>/", corpora.CorpusDetail.as_view(), name="api-corpus"),
    path("corpora/<slug:slug>/members/", members.MembersView.as_view(), name="api-members"),
    path("corpora/<slug:slug>/members/<slug:code>/", members.MemberView.as_view(), name="api-member"),
    path("corpora/<slug:slug>/arms/", writing.Arms.as_view(), name="api-arms"),
    path("corpora/<slug:slug>/reviews/", reviews.Reviews.as_view(), name="api-reviews"),
    path("work/writing/remarks/", reviews.Remarks.as_view(), name="api-remarks"),
    re_path(r"^work/writing/read/?$", reviews.ReadRemarks.as_view(), name="api-read-remarks"),
    re_path(r"^work/writing/next/?$", writing.NextWriting.as_view(), name="api-writing-next"),
    re_path(r"^work/writing/submit/?$", writing.SubmitWriting.as_view(), name="api-writing-submit"),
]
