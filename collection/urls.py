"""The pages of somebody who writes."""

from django.urls import path

from collection import views

urlpatterns = [
    path("work/writing/<slug:corpus>/", views.writing, name="writing"),
    path("work/writing/<slug:corpus>/skip/", views.skip, name="skip-writing"),
    path("work/writing/<slug:corpus>/prompt/<int:version>/", views.prompt, name="prompt"),
    path("work/exam/<slug:corpus>/", views.exam, name="exam"),
    path("work/visit/", views.visit, name="visit"),
    path("enter/<str:token>/", views.enter, name="enter"),
    path("work/writing/<slug:corpus>/draft/", views.draft, name="draft"),
    path("work/writing/<slug:corpus>/draft/discard/", views.discard_draft, name="discard-draft"),
    path("work/mine/writing/", views.my_writing, name="my-writing"),
    path("corpora/<slug:slug>/reports/", views.report_queue, name="report-queue"),
    path("corpora/<slug:slug>/advice/", views.advice_counts, name="advice-counts"),
    path("corpora/<slug:slug>/pilots/", views.pilots, name="pilots"),
    path("corpora/<slug:slug>/pilots/<slug:prompt>/", views.pilot, name="pilot"),
    path("work/reports/", views.my_reports, name="my-reports"),
    path("work/faq/<int:version>/", views.faq, name="faq"),
]
