from django.urls import path, re_path

from validation.labelling.api import CorrectBatchView, NextBatchView, SubmitBatchView
from validation.pairs.api import DeclineView, MendView, PairList, PairSets, ReturnedTexts
from validation.statistics.api import AgreementView, AnnotatorsView, CrossTableView

urlpatterns = [
    re_path(r"^work/validation/next/?$", NextBatchView.as_view(), name="api-validation-next"),
    re_path(r"^work/validation/submit/?$", SubmitBatchView.as_view(), name="api-validation-submit"),
    re_path(r"^work/validation/correct/?$", CorrectBatchView.as_view(), name="api-validation-correct"),
    path("work/writing/returned/", ReturnedTexts.as_view(), name="api-returned-texts"),
    re_path(r"^work/writing/mend/?$", MendView.as_view(), name="api-mend"),
    re_path(r"^work/writing/decline/?$", DeclineView.as_view(), name="api-decline"),
    path("corpora/<slug:slug>/pairs/", PairList.as_view(), name="api-pairs"),
    path("corpora/<slug:slug>/sets/", PairSets.as_view(), name="api-pair-sets"),
    path("corpora/<slug:slug>/annotators/", AnnotatorsView.as_view(), name="api-annotators"),
    path("corpora/<slug:slug>/agreement/", AgreementView.as_view(), name="api-agreement"),
    path("corpora/<slug:slug>/cross-table/", CrossTableView.as_view(), name="api-cross-table"),
]
