"""Registers the lookup for words in texts, `hypothesis__has_words="river lamp"`, of all lists and the search.

It also tells visits, which writing imports, who knows why there is nothing to write.
"""

from typing import Any

from django.apps import AppConfig
from django.db.models import TextField
from django.db.models.lookups import IContains


class HasWords(IContains):
    """`icontains`, at half of its processor time on PostgreSQL if the words are ASCII.

    Most of the time goes into upper case. Only ASCII letters become ASCII capitals under the collation C, so that texts
    in all scripts need no look at the rules of Unicode.
    """

    lookup_name = "has_words"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, Any]:
        if connection.vendor != "postgresql" or not str(self.rhs).isascii():
            return IContains(self.lhs, self.rhs).as_sql(compiler, connection)
        column, of_column = compiler.compile(self.lhs)
        words, of_words = self.process_rhs(compiler, connection)
        return (
            f'UPPER({column} COLLATE "C") LIKE UPPER({words}::text COLLATE "C")',
            [*of_column, *of_words],
        )


class CollectionConfig(AppConfig):
    name = "collection"

    def ready(self) -> None:
        from accounts.people.gates import CORPORA, GATES
        from collection.joining.visits import REASONS
        from collection.members.gate import gate
        from collection.models import Corpus
        from collection.writing.claiming import why_no_work

        GATES.append(gate)
        CORPORA.append(lambda user: Corpus.objects.of(user).order_by("name").values_list("slug", "name"))
        TextField.register_lookup(HasWords)
        REASONS.append(lambda person, corpus: why_no_work(corpus=corpus, annotator=person))
