"""`reset_second_factor USER_NAME`: removes the second factor of a person who lost it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import User
from accounts.sign_in.second_factor import reset_second_factor


class Command(BaseCommand):
    help = (
        "Removes a person's app, passkeys and recovery codes and signs them out everywhere. They sign in with the password"
        " alone and set up another. Make sure that it is they who ask."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="USER_NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=User.normalize_username(options["username"])).first()
        if user is None:
            raise CommandError(
                f"Nobody has the user name {options['username']!r}. The records list all people."
            )
        if not reset_second_factor(user=user, by="command line"):
            raise CommandError(f"{user.username} has no second factor.")
        self.stdout.write(
            f"{user.username} signs in with the password alone now, and is signed out everywhere."
        )
