from django.urls import path

from validation.views import labelling, pool

urlpatterns = [
    path("start/", labelling.start, name="start"),
    path("work/mine/", labelling.my_work, name="my-work"),
    path("work/validation/<slug:slug>/", labelling.labelling, name="labelling"),
    path("work/validation/<slug:slug>/instructions/", labelling.instructions, name="labelling-instructions"),
    path("work/validation/<slug:slug>/<slug:question_slug>/", labelling.labelling, name="labelling"),
    path(
        "work/validation/<slug:slug>/<slug:question_slug>/instructions/",
        labelling.instructions,
        name="labelling-instructions",
    ),
    path("corpora/<slug:slug>/pool/", pool.members, name="pool"),
    path("corpora/<slug:slug>/pool/<str:code>/", pool.member, name="pool-member"),
    path("corpora/<slug:slug>/more-labels/", pool.more_labels, name="more-labels"),
    path("corpora/<slug:slug>/adjudication/", pool.adjudication, name="adjudication"),
    path("corpora/<slug:slug>/controls/", pool.controls, name="controls"),
]
