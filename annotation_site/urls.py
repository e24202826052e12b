"""Every address of the site. Each app names its pages in `urls.py` and its REST paths in `api_urls.py`."""

from django.contrib import admin
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularSwaggerSplitView

import shared.id_in_address  # noqa: F401 - makes <id:...>
from accounts.pages.access import researcher_required
from accounts.rest.api import DescriptionView
from accounts.rest.figures import figure_paths
from annotation_site.intake.pages import complete_table, import_job, imports, new_import, new_job, send_file
from annotation_site.operation.health import health, metrics
from annotation_site.personal_data.pages import erase_me, my_data
from annotation_site.researchers.agreement_pages import agreement_page, annotators_page
from annotation_site.researchers.agreement_why_page import agreement_why_page
from annotation_site.researchers.bias_page import bias
from annotation_site.researchers.entry_link_pages import link_page, links_page
from annotation_site.researchers.invitation_pages import invitations_page, invited
from annotation_site.researchers.wages_page import pay_page
from annotation_site.researchers.writer_page import writer_page
from annotation_site.workspace.answer_pages import finished_page, paper_pairs_page
from annotation_site.workspace.arms import arms_page
from annotation_site.workspace.corpus_file_pages import corpus_file, earlier_text, text_file
from annotation_site.workspace.corpus_form_pages import change_corpus, preview_change
from annotation_site.workspace.corpus_state_page import corpus_state
from annotation_site.workspace.labelling_page import labelling_progress
from annotation_site.workspace.overview_pages import attention, home, overview
from annotation_site.workspace.pair_predictions_page import pair_predictions
from annotation_site.workspace.premises_page import premises
from annotation_site.workspace.preregistration import preregistration_page
from annotation_site.workspace.prompts_page import compare_prompts
from annotation_site.workspace.review_pages import review_next, reviews_page
from annotation_site.workspace.search_page import search
from annotation_site.workspace.settings_page import corpus_settings
from annotation_site.workspace.texts_page import texts

rest: list[URLPattern | URLResolver] = [
    path("", include("accounts.api_urls")),
    path("", include("collection.api_urls")),
    path("", include("validation.api_urls")),
    path("", include("snapshots.api_urls")),
    path("", include("modeling.api_urls")),
    *figure_paths(),
    path("schema/", DescriptionView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api-docs"),
]

admin.site.index_title = "Records"

urlpatterns = [
    # Addresses are tried in turn: one prefix spares programs, which send the most requests, a hundred patterns.
    path("api/v1/", include(rest)),
    path("", include("accounts.urls")),  # before the admin: it takes the place of its sign-in
    path("", include("collection.urls")),
    path("", include("validation.urls")),
    path("", include("snapshots.urls")),
    path("", include("modeling.urls")),
    path("mine/data/", my_data, name="my-data"),
    path("mine/erase/", erase_me, name="erase-me"),
    path("corpora/<slug:slug>/agreement/", agreement_page, name="agreement"),
    path("corpora/<slug:slug>/agreement/why/", agreement_why_page, name="agreement-why"),
    path("corpora/<slug:slug>/annotators/", annotators_page, name="annotators"),
    path("imports/", imports, name="imports"),
    path("imports/send/", send_file, name="send-file"),
    path("imports/new/", new_import, name="new-import"),
    path("imports/<int:number>/", import_job, name="import-job"),
    path("corpora/<slug:slug>/bias/", bias, name="bias"),
    path("corpora/<slug:slug>/pay/", pay_page, name="pay"),
    path("c/<slug:slug>/", overview, name="corpus-overview"),
    path("invited/<str:token>/", invited, name="invited"),
    path("c/<slug:slug>/invitations/", invitations_page, name="invitations"),
    path("c/<slug:slug>/links/", links_page, name="entry-links"),
    path("c/<slug:slug>/links/<int:number>/", link_page, name="entry-link"),
    path("c/<slug:slug>/premises/", premises, name="premises"),
    path("c/<slug:slug>/arms/", arms_page, name="arms"),
    path("c/<slug:slug>/reviews/", reviews_page, name="reviews"),
    path("c/<slug:slug>/reviews/next/", review_next, name="review-next"),
    path("c/<slug:slug>/preregistration/", preregistration_page, name="preregistration"),
    path("c/<slug:slug>/prompts/", compare_prompts, name="compare-prompts"),
    path("c/<slug:slug>/texts/", texts, name="texts"),
    path("c/<slug:slug>/writers/<id:code>/", writer_page, name="writer"),
    path("c/<slug:slug>/predictions/<id:public_id>/", pair_predictions, name="pair-predictions"),
    path("c/<slug:slug>/finished/", finished_page, name="finished"),
    path("c/<slug:slug>/paper/", paper_pairs_page, name="paper-pairs"),
    path("c/<slug:slug>/labelling/", labelling_progress, name="labelling-progress"),
    path("c/<slug:slug>/premises/import/", new_job, {"kind": "premises"}, name="import-premises"),
    path("c/<slug:slug>/premises/pair/", new_job, {"kind": "scenes"}, name="pair-premises"),
    path("snapshots/<int:pk>/tables/<slug:name>/complete/", complete_table, name="complete-table"),
    path("c/<slug:slug>/settings/crowd/", new_job, {"kind": "crowd"}, name="simulate"),
    path("c/<slug:slug>/settings/", corpus_settings, name="corpus-settings"),
    path("c/<slug:slug>/settings/change/", change_corpus, name="change-corpus"),
    path("c/<slug:slug>/settings/change/<slug:part>/", change_corpus, name="change-corpus"),
    path("c/<slug:slug>/settings/state/", corpus_state, name="corpus-state"),
    path("c/<slug:slug>/settings/preview/", preview_change, name="preview-change"),
    path("c/<slug:slug>/settings/file/", corpus_file, name="corpus-file"),
    path("c/<slug:slug>/settings/file/<int:number>/", earlier_text, name="earlier-text"),
    path("c/<slug:slug>/settings/file.toml", text_file, name="text-file"),
    path("c/<slug:slug>/settings/file/<int:number>.toml", text_file, name="earlier-text-file"),
    path("new-corpus/", corpus_file, name="new-corpus"),
    path("attention/", attention, name="attention"),
    path("search/", search, name="search"),
    path("corpora/<slug:slug>/", researcher_required(RedirectView.as_view(pattern_name="corpus-overview"))),
    # The researchers' first page takes the place of the admin's; the admin's own list of tables is one level down.
    path("admin/", home, name="workspace"),
    path("admin/records/", admin.site.admin_view(admin.site.index), name="records"),
    path("admin/", admin.site.urls),
    path("health/", health, name="health"),
    path("metrics/", metrics, name="metrics"),
    # Browsers ask for it on pages that name no icon, such as JSON.
    path("favicon.ico", lambda request: redirect(static("img/quintet.svg")), name="favicon"),
]

handler400 = "accounts.pages.error_pages.bad_request"
handler403 = "accounts.pages.error_pages.forbidden"
handler404 = "accounts.pages.error_pages.not_found"
handler500 = "annotation_site.middleware.server_error"
