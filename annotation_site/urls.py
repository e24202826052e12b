"""Every address of the site. Each app names its pages in `urls.py` and its REST paths in `api_urls.py`."""

from django.contrib import admin
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from annotation_site.intake.pages import import_job, imports, new_import
from annotation_site.operation.health import health
from annotation_site.personal_data.pages import erase_me, my_data
from annotation_site.researchers.agreement_pages import agreement_page, annotators_page
from annotation_site.researchers.bias_page import bias
from annotation_site.researchers.wages_page import pay_page

rest: list[URLPattern | URLResolver] = [
    path("", include("accounts.api_urls")),
    path("", include("collection.api_urls")),
    path("", include("validation.api_urls")),
    path("", include("snapshots.api_urls")),
    path("", include("modeling.api_urls")),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api-docs"),
]

admin.site.index_title = "Dashboard"

urlpatterns = [
    path("", include("accounts.urls")),  # before the dashboard: it takes the place of its sign-in
    path("", include("collection.urls")),
    path("", include("validation.urls")),
    path("", include("snapshots.urls")),
    path("", include("modeling.urls")),
    path("mine/data/", my_data, name="my-data"),
    path("mine/erase/", erase_me, name="erase-me"),
    path("corpora/<slug:slug>/agreement/", agreement_page, name="agreement"),
    path("corpora/<slug:slug>/annotators/", annotators_page, name="annotators"),
    path("imports/", imports, name="imports"),
    path("imports/new/", new_import, name="new-import"),
    path("imports/<int:number>/", import_job, name="import-job"),
    path("corpora/<slug:slug>/bias/", bias, name="bias"),
    path("corpora/<slug:slug>/pay/", pay_page, name="pay"),
    path("admin/", admin.site.urls),
    path("health/", health, name="health"),
    # Browsers ask for it on pages that name no icon, such as JSON.
    path("favicon.ico", lambda request: redirect(static("img/quintet.svg")), name="favicon"),
    path("api/v1/", include(rest)),
]

handler400 = "accounts.pages.error_pages.bad_request"
handler403 = "accounts.pages.error_pages.forbidden"
handler404 = "accounts.pages.error_pages.not_found"
handler500 = "accounts.pages.error_pages.server_error"
