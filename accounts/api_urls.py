"""REST addresses of accounts, under /api/v1/."""

from django.urls import path

from accounts.rest.api import TokenView

urlpatterns = [path("token/", TokenView.as_view(), name="api-token")]
