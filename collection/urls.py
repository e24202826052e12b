"""Addresses of the pages of writers."""

from django.urls import path

from collection.joining import entry_pages, exam_pages
from collection.members.pages import members
from collection.writing import my_pages, remark_pages, researcher_pages, task_pages

urlpatterns = [
    path("work/writing/<slug:corpus>/", task_pages.writing, name="writing"),
    path("work/writing/<slug:corpus>/skip/", task_pages.skip, name="skip-writing"),
    path("work/writing/<slug:corpus>/remarks/", remark_pages.remarks, name="remarks"),
    path("work/writing/<slug:corpus>/prompt/<int:version>/", researcher_pages.prompt, name="prompt"),
    path("work/exam/<slug:corpus>/", exam_pages.exam, name="exam"),
    path("work/visit/", entry_pages.visit, name="visit"),
    path("work/visit/returned/", entry_pages.returned, name="visit-returned"),
    path("work/visit/more/", entry_pages.go_on, name="visit-more"),
    path("join/<slug:slug>/", entry_pages.sign_up, name="sign-up"),
    path("enter/<str:token>/", entry_pages.enter, name="enter"),
    path("enter/<str:token>/opened/", entry_pages.opened, name="entry-opened"),
    path("enter/<str:token>/waits/", entry_pages.waits, name="entry-waits"),
    path("come-back/<str:token>/", entry_pages.come_back, name="come-back"),
    path("c/<slug:slug>/preview/end/<int:number>/", entry_pages.preview_end, name="preview-end"),
    path("work/writing/<slug:corpus>/draft/", task_pages.draft, name="draft"),
    path("work/writing/<slug:corpus>/draft/discard/", task_pages.discard_draft, name="discard-draft"),
    path("work/mine/writing/", my_pages.my_writing, name="my-writing"),
    path("corpora/<slug:slug>/reports/", researcher_pages.report_queue, name="report-queue"),
    path("corpora/<slug:slug>/advice/", researcher_pages.advice_counts, name="advice-counts"),
    path("corpora/<slug:slug>/pilots/", researcher_pages.pilots, name="pilots"),
    path("corpora/<slug:slug>/pilots/<slug:prompt>/", researcher_pages.pilot, name="pilot"),
    path("c/<slug:slug>/settings/members/", members, name="members"),
    path("c/<slug:slug>/preview/writing/", researcher_pages.preview_writing, name="preview-writing"),
    path("work/reports/", my_pages.my_reports, name="my-reports"),
    path("work/faq/<int:version>/", researcher_pages.faq, name="faq"),
]
