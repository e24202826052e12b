"""The pages of somebody who writes."""

from django.urls import path

from collection import entry_views, views

urlpatterns = [
    path("work/writing/<slug:corpus>/", views.writing, name="writing"),
    path("work/writing/<slug:corpus>/skip/", views.skip, name="skip-writing"),
    path("work/writing/<slug:corpus>/prompt/<int:version>/", views.prompt, name="prompt"),
    path("work/exam/<slug:corpus>/", entry_views.exam, name="exam"),
    path("work/visit/", entry_views.visit, name="visit"),
    path("enter/<str:token>/", entry_views.enter, name="enter"),
    path("work/reports/", views.my_reports, name="my-reports"),
    path("work/faq/<int:version>/", views.faq, name="faq"),
]
