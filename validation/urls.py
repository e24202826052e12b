from django.urls import path

import shared.id_in_address  # noqa: F401 - makes <id:...>
from validation.annotators import views as annotators
from validation.labelling import preview_page
from validation.labelling import views as labelling
from validation.pairs import returning_pages, vetting_pages
from validation.pairs import views as pairs
from validation.quality_control import views as quality_control
from validation.start_page import views as start_page

urlpatterns = [
    path("start/", start_page.start, name="start"),
    path("work/mine/", start_page.my_work, name="my-work"),
    path("work/mine/batches/<slug:token>/", labelling.correct, name="correct-batch"),
    path("work/mine/returned/<int:number>/", returning_pages.returned_text, name="returned-text"),
    path("work/labelling-draft/", labelling.draft, name="labelling-draft"),
    path("work/validation/<slug:slug>/", labelling.labelling, name="labelling"),
    path("work/validation/<slug:slug>/instructions/", labelling.instructions, name="labelling-instructions"),
    path("work/validation/<slug:slug>/exam/", labelling.labelling_exam, name="labelling-exam"),
    path("work/validation/<slug:slug>/<slug:question_slug>/", labelling.labelling, name="labelling"),
    path(
        "work/validation/<slug:slug>/<slug:question_slug>/exam/",
        labelling.labelling_exam,
        name="labelling-exam",
    ),
    path(
        "work/validation/<slug:slug>/<slug:question_slug>/instructions/",
        labelling.instructions,
        name="labelling-instructions",
    ),
    path("c/<slug:slug>/preview/labelling/", preview_page.preview_labelling, name="preview-labelling"),
    path(
        "c/<slug:slug>/preview/instructions/", preview_page.preview_instructions, name="preview-instructions"
    ),
    path("c/<slug:slug>/preview/exam/<slug:name>/", preview_page.preview_exam, name="preview-exam"),
    path("corpora/<slug:slug>/pool/", annotators.members, name="pool"),
    path("corpora/<slug:slug>/pool/<id:code>/", annotators.member, name="pool-member"),
    path("corpora/<slug:slug>/pairs/", pairs.pair_list, name="pairs"),
    path("corpora/<slug:slug>/pairs/<id:public_id>/", pairs.pair_page, name="pair"),
    path("corpora/<slug:slug>/return/", returning_pages.return_pair, name="return-pair"),
    path("corpora/<slug:slug>/vetting/", vetting_pages.vetting, name="vetting"),
    path("corpora/<slug:slug>/vetting/<int:number>.csv", vetting_pages.vetted_csv, name="vetted-csv"),
    path("corpora/<slug:slug>/open/", pairs.open_pairs, name="open-pairs"),
    path("corpora/<slug:slug>/more-labels/", pairs.more_labels, name="more-labels"),
    path("corpora/<slug:slug>/adjudication/", pairs.adjudication, name="adjudication"),
    path("corpora/<slug:slug>/controls/", quality_control.controls, name="controls"),
    path("corpora/<slug:slug>/calibration/", quality_control.calibration, name="calibration"),
]
