"""Addresses of the provider of OpenID Connect that tests run."""

from django.urls import include, path

urlpatterns = [path("accounts/", include("allauth.urls")), path("", include("allauth.idp.urls"))]
