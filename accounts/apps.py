from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.sign_in import browsers, second_factor  # noqa: F401  # they register receivers
