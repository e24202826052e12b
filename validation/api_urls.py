from django.urls import path, re_path

from validation import annotators_api, api

urlpatterns = [
    re_path(r"^work/validation/next/?$", api.NextBatchView.as_view(), name="api-validation-next"),
    re_path(r"^work/validation/submit/?$", api.SubmitBatchView.as_view(), name="api-validation-submit"),
    path("corpora/<slug:slug>/pairs/", api.PairList.as_view(), name="api-pairs"),
    path("corpora/<slug:slug>/annotators/", annotators_api.AnnotatorsView.as_view(), name="api-annotators"),
    path("corpora/<slug:slug>/agreement/", api.AgreementView.as_view(), name="api-agreement"),
]
