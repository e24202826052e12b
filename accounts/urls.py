"""Addresses of the pages of accounts."""

from allauth.socialaccount.providers.openid_connect.views import callback as openid_callback
from django.urls import path
from django.views.generic import RedirectView

from accounts.pages import forgotten, open_id, second_factor, views

urlpatterns = [
    path("", views.home, name="home"),
    path("sign-in/", views.sign_in, name="sign-in"),
    path("sign-in/", views.sign_in, name="account_login"),  # the name under which django-allauth looks for it
    path("sign-in/second-step/", second_factor.second_step, name="mfa_authenticate"),
    path("sign-in/with/<slug:provider_id>/", open_id.sign_in_with, name="sign-in-with"),
    path("sign-in/with/<slug:provider_id>/callback/", openid_callback, name="openid_connect_callback"),
    path("forgotten-password/", forgotten.forgotten_password, name="forgotten-password"),
    path("new-password/<str:uid>/<str:token>/", forgotten.new_password, name="new-password"),
    path("saved-filters/", views.saved_filters, name="saved-filters"),
    path("mine/email/", forgotten.my_email, name="my-email"),
    path("sign-out/", views.sign_out, name="sign-out"),
    path("consent/<int:form_id>/", views.consent, name="consent"),
    path("mine/", views.mine, name="mine"),
    path("mine/language/", views.choose_language, name="choose-language"),
    path("mine/background/", views.background, name="background"),
    path("mine/password/", views.change_password, name="change-password"),
    path("mine/second-factor/", second_factor.my_second_factor, name="second-factor"),
    path("mine/second-factor/app/", second_factor.add_app, name="add-app"),
    path("mine/second-factor/passkey/", second_factor.add_passkey, name="add-passkey"),
    path("mine/consents/<int:form_id>/withdraw/", views.withdraw_consent, name="withdraw-consent"),
    path("mine/tokens/", views.make_token, name="make-token"),
    path("mine/tokens/<int:token_id>/revoke/", views.revoke_token, name="revoke-token"),
    path("mine/sessions/<int:browser_id>/end/", views.end_session, name="end-session"),
    # Replaces the admin's own sign-in, so that one throttle covers both.
    path("admin/login/", views.admin_sign_in, name="admin-sign-in"),
    path("admin/password_change/", RedirectView.as_view(pattern_name="change-password")),
]
