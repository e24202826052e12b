"""`manage.py members CORPUS [--add WHO [--role ROLE]] [--remove WHO] [--json]`."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from collection.members.actions import MemberRefused, give_role, remove_member, researcher_named
from collection.models import CorpusMember
from validation.questions.lookup import corpus_for_command


class Command(BaseCommand):
    help = "Says which researchers belong to a corpus, gives them roles, and ends memberships, in the name of the operator."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="slug of the corpus")
        doing = parser.add_mutually_exclusive_group()
        doing.add_argument("--add", metavar="WHO", help="user name or code of a researcher, or of a member")
        doing.add_argument("--remove", metavar="WHO", help="user name or code of a member")
        parser.add_argument(
            "--role", choices=CorpusMember.Role.values, default="researcher", help="of whom --add names"
        )
        parser.add_argument("--json", action="store_true", help="print only JSON on standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        corpus = corpus_for_command(options["corpus"])
        try:
            if options["add"]:
                who = researcher_named(options["add"])
                give_role(corpus=corpus, user=who, role=options["role"], by=None)
            elif options["remove"]:
                gone = corpus.members.filter(user__username=options["remove"]).first()
                gone = gone or corpus.members.filter(user__code=options["remove"]).first()
                if gone is None:
                    raise CommandError(f"{options['remove']} does not belong to {corpus}.")
                remove_member(corpus=corpus, user=gone.user, by=None)
        except MemberRefused as refusal:
            raise CommandError(str(refusal)) from None
        rows = [
            {"user_name": each.user.username, "code": each.user.code, "role": each.role}
            for each in corpus.members.select_related("user").order_by("since", "pk")
        ]
        if options["json"]:
            self.stdout.write(json.dumps(rows))
            return
        for row in rows:
            self.stdout.write(f"{row['user_name']} ({row['code']}): {row['role']}")
        if not rows:
            self.stdout.write(f"Nobody belongs to {corpus}: administrators alone see it.")
