# Written from the models: constraints and indexes stand in their tables, and the tables in one operation.

import accounts.models
import collection.models.joining
import collection.models.returned
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
import shared.constraints
import shared.schema_operations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('collection', '0001_tables'), ('collection', '0002_pay_for_reading'), ('collection', '0003_endings_of_visits'), ('collection', '0004_people_who_signed_up'), ('collection', '0005_labels_can_be_corrected'), ('collection', '0006_pay_lists'), ('collection', '0007_every_link_states_its_proof'), ('collection', '0008_returned_texts')]

    initial = True

    dependencies = [
        ('accounts', '0001_schema'),
    ]

    operations = [
        shared.schema_operations.CreateModels(
            models=[
                migrations.CreateModel(
                    name='Corpus',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=60, unique=True)),
                        ('name', models.CharField(max_length=200)),
                        ('description', models.TextField(blank=True, help_text='Markdown')),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], default='nli3', max_length=20)),
                        ('protocol', models.CharField(choices=[('elicited', 'elicited: a person wrote the hypothesis for a label'), ('judged', 'judged: paired by machine, labelled by people'), ('recast', "recast: made from another task's annotation")], default='elicited', max_length=10)),
                        ('language', models.CharField(default='en', help_text='BCP 47, such as en or ar', max_length=35)),
                        ('licence', models.CharField(blank=True, max_length=100)),
                        ('made_for_demo', models.BooleanField(default=False)),
                        ('writers_per_premise', models.PositiveSmallIntegerField(default=1)),
                        ('min_hypothesis_chars', models.PositiveSmallIntegerField(default=1)),
                        ('max_hypothesis_chars', models.PositiveSmallIntegerField(default=1000)),
                        ('language_models', models.CharField(choices=[('forbidden', 'forbidden: people write by themselves'), ('declared', 'declared: allowed where the writer says so'), ('allowed', 'Allowed')], default='forbidden', max_length=9)),
                        ('max_tasks_per_day', models.PositiveIntegerField(blank=True, help_text='premises that one writer is given a day; empty: no limit', null=True)),
                        ('max_genre_share', models.PositiveSmallIntegerField(default=100, help_text="percent of a genre's seats that one writer may fill")),
                        ('pause_after_reports', models.PositiveSmallIntegerField(default=3, help_text='unanswered reports that pause a premise; 0: never')),
                        ('dev_pairs_per_genre', models.PositiveIntegerField(default=0)),
                        ('test_pairs_per_genre', models.PositiveIntegerField(default=0)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('consent_form', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='accounts.consentform')),
                        ('writing_qualification', models.ForeignKey(blank=True, help_text='who may write; empty: everybody who may sign in', null=True, on_delete=django.db.models.deletion.PROTECT, to='accounts.qualification')),
                        ('sign_up', models.BooleanField(default=False, help_text='whether people make accounts by themselves')),
                    ],
                    options={
                        'verbose_name_plural': 'corpora',
                        'constraints': [models.CheckConstraint(condition=models.Q(('scheme__in', ['nli3', 'entailed2', 'ordinal5', 'grammar3'])), name='scheme_is_known'), models.CheckConstraint(condition=models.Q(('protocol__in', ['elicited', 'judged', 'recast'])), name='protocol_is_known'), models.CheckConstraint(condition=models.Q(('min_hypothesis_chars__gte', 1), ('max_hypothesis_chars__gte', models.F('min_hypothesis_chars'))), name='hypothesis_limits_make_sense'), models.CheckConstraint(condition=models.Q(('language_models__in', ['forbidden', 'declared', 'allowed'])), name='language_model_policy_is_known'), models.CheckConstraint(condition=models.Q(('max_genre_share__gte', 1), ('max_genre_share__lte', 100)), name='genre_share_is_a_share'), models.CheckConstraint(condition=models.Q(('max_tasks_per_day', None), ('max_tasks_per_day__gte', 1), _connector='OR'), name='daily_cap_allows_some_work')],
                    },
                ),
                migrations.CreateModel(
                    name='AdviceSetting',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('advice', models.CharField(max_length=30)),
                        ('level', models.CharField(choices=[('off', 'Off'), ('warn', 'warn: say it, and accept the text'), ('refuse', 'refuse: ask for another text')], max_length=6)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='advice_settings', to='collection.corpus')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'advice'), name='one_setting_an_advice'), models.CheckConstraint(condition=models.Q(('level__in', ['off', 'warn', 'refuse'])), name='advice_level_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='Prompt',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=60)),
                        ('name', models.CharField(max_length=200)),
                        ('status', models.CharField(choices=[('open', 'Open'), ('pilot', 'pilot: for chosen writers, whose texts stay out of the corpus'), ('closed', 'closed: nobody writes')], default='open', max_length=6)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='prompts', to='collection.corpus')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'slug'), name='prompt_slug_unique_in_corpus'), models.CheckConstraint(condition=models.Q(('status__in', ['open', 'pilot', 'closed'])), name='prompt_status_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='PromptVersion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('instructions', models.TextField(help_text='Markdown')),
                        ('pay_cents', models.PositiveIntegerField(default=0, help_text='for the three hypotheses of one premise')),
                        ('seconds', models.PositiveIntegerField(default=120, help_text='expected time for one premise')),
                        ('care', models.TextField(blank=True, help_text='Markdown; shown above every premise where texts may be upsetting')),
                        ('skip_pay_cents', models.PositiveIntegerField(default=0, help_text='for a premise skipped because it is upsetting')),
                        ('paid_skips_per_day', models.PositiveSmallIntegerField(default=5)),
                        ('digest', models.CharField(editable=False, max_length=64)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('prompt', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='collection.prompt')),
                        ('differs', models.TextField(blank=True, help_text='Markdown; what those read who know another prompt of the corpus')),
                        ('reading_pay_cents', models.PositiveIntegerField(default=0, help_text='once for reading the instructions and passing their check')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('prompt', 'number'), name='prompt_version_unique')],
                    },
                ),
                migrations.CreateModel(
                    name='PromptField',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('label', models.CharField(max_length=20)),
                        ('wording', models.TextField()),
                        ('reminder', models.CharField(blank=True, max_length=200)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fields', to='collection.promptversion')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('version', 'order'), name='one_field_a_place'), models.UniqueConstraint(fields=('version', 'label'), name='one_field_a_label')],
                    },
                ),
                migrations.CreateModel(
                    name='WorkedExample',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('premise', models.TextField()),
                        ('label', models.CharField(max_length=20)),
                        ('hypothesis', models.TextField()),
                        ('comment', models.TextField(blank=True)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='examples', to='collection.promptversion')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('version', 'order'), name='one_example_a_place')],
                    },
                ),
                migrations.CreateModel(
                    name='FaqEntry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('question', models.TextField()),
                        ('answer', models.TextField(help_text='Markdown')),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='faq', to='collection.promptversion')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('version', 'order'), name='one_faq_entry_a_place')],
                    },
                ),
                migrations.CreateModel(
                    name='CheckQuestion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('premise', models.TextField()),
                        ('hypothesis', models.TextField()),
                        ('label', models.CharField(max_length=20)),
                        ('explanation', models.TextField(help_text='shown after a wrong answer')),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='check_questions', to='collection.promptversion')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('version', 'order'), name='one_check_question_a_place')],
                    },
                ),
                migrations.CreateModel(
                    name='Genre',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=60)),
                        ('name', models.CharField(max_length=200)),
                        ('register', models.CharField(blank=True, help_text='written or spoken', max_length=20)),
                        ('in_training', models.BooleanField(default=True)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='genres', to='collection.corpus')),
                        ('prompt', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='collection.prompt')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'slug'), name='genre_slug_unique_in_corpus')],
                    },
                ),
                migrations.CreateModel(
                    name='Exclusion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('reason', models.TextField(help_text='never leaves the site; blanked when they are erased')),
                        ('created_at', models.DateTimeField()),
                        ('retracts_pairs', models.BooleanField(default=False, help_text='the pairs that they wrote go too')),
                        ('undone_at', models.DateTimeField(blank=True, null=True)),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to=settings.AUTH_USER_MODEL)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exclusions', to='collection.corpus')),
                        ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('undone_at', None)), fields=('corpus', 'annotator'), name='one_standing_exclusion'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='excluded_for_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('undone_at', None), ('undone_by', None)), models.Q(('undone_at__isnull', False), ('undone_by__isnull', False)), _connector='OR'), name='undone_by_somebody')],
                    },
                ),
                migrations.CreateModel(
                    name='Vetting',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('reason', models.TextField(help_text='never leaves the site')),
                        ('chosen_by', models.CharField(help_text='what chose the pairs', max_length=300)),
                        ('pairs_withdrawn', models.PositiveIntegerField(default=0, help_text='how many it withdrew')),
                        ('created_at', models.DateTimeField()),
                        ('undone_at', models.DateTimeField(blank=True, null=True)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='vettings', to='collection.corpus')),
                        ('undone_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='vetted_for_a_reason'), models.CheckConstraint(condition=models.Q(models.Q(('undone_at', None), ('undone_by', None)), models.Q(('undone_at__isnull', False), ('undone_by__isnull', False)), _connector='OR'), name='vetting_undone_by_somebody')],
                    },
                ),
                migrations.CreateModel(
                    name='PairImportJob',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('claimed_by', models.CharField(blank=True, editable=False, help_text='token of the claim', max_length=32)),
                        ('worker', models.CharField(blank=True, max_length=200)),
                        ('attempts', models.PositiveSmallIntegerField(default=0, help_text='claims since it was asked for')),
                        ('progress', models.CharField(blank=True, max_length=200)),
                        ('share', models.FloatField(default=0, help_text='how much of it is done, from 0 to 1')),
                        ('stop_requested', models.BooleanField(default=False)),
                        ('error', models.TextField(blank=True, help_text='why it failed, for a person')),
                        ('requested_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('started_at', models.DateTimeField(blank=True, help_text='when it was last claimed', null=True)),
                        ('heartbeat_at', models.DateTimeField(blank=True, null=True)),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('status', models.CharField(choices=[('requested', 'Requested'), ('working', 'Working'), ('done', 'Done'), ('failed', 'Failed')], default='requested', max_length=9)),
                        ('corpus_slug', models.CharField(help_text='the corpus, which the import may make', max_length=60)),
                        ('files', models.JSONField(help_text='names in the folder for incoming files')),
                        ('recipe', models.CharField(blank=True, help_text='by which the files are recast; empty: an import', max_length=100)),
                        ('options', models.JSONField(help_text='of the command that would do the same')),
                        ('dry_run', models.BooleanField(default=True, help_text='says what would go in, and writes nothing')),
                        ('report', models.JSONField(blank=True, null=True)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'working'), models.Q(('claimed_by', ''), _negated=True), ('heartbeat_at__isnull', False), ('started_at__isnull', False)), models.Q(models.Q(('status', 'working'), _negated=True), ('claimed_by', '')), _connector='OR'), name='pair_import_is_claimed_while_worked_on'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='failed_pair_import_says_why'), models.CheckConstraint(condition=models.Q(('share__gte', 0), ('share__lte', 1)), name='pair_import_share_is_one'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'done'), _negated=True), ('report__isnull', False), _connector='OR'), name='pair_import_has_its_report')],
                    },
                ),
                migrations.CreateModel(
                    name='Source',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=300)),
                        ('sha256', models.CharField(max_length=64)),
                        ('licence', models.CharField(blank=True, max_length=200)),
                        ('imported_at', models.DateTimeField(auto_now_add=True)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sources', to='collection.corpus')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'name', 'sha256'), name='source_file_known_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Premise',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('document', models.CharField(blank=True, help_text='the text, image or file that it comes from', max_length=300)),
                        ('line', models.PositiveIntegerField(blank=True, help_text='its line in the source file', null=True)),
                        ('place', models.PositiveIntegerField(default=1, help_text='which sentence of the line, from 1')),
                        ('public_id', models.CharField(max_length=200)),
                        ('group', models.CharField(help_text='premises of one group share a partition', max_length=300)),
                        ('text', models.TextField()),
                        ('sentence_count', models.PositiveSmallIntegerField(default=1)),
                        ('digest', models.CharField(editable=False, max_length=64)),
                        ('status', models.CharField(choices=[('open', 'Open'), ('paused', 'Paused'), ('dropped', 'Dropped')], default='open', max_length=7)),
                        ('dropped_because', models.CharField(blank=True, max_length=300)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='premises', to='collection.corpus')),
                        ('genre', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='premises', to='collection.genre')),
                        ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='collection.source')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('genre', 'digest'), name='premise_unique_in_genre'), models.UniqueConstraint(fields=('corpus', 'public_id'), name='premise_id_unique_in_corpus'), models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='premise_not_empty'), models.CheckConstraint(condition=models.Q(('sentence_count__gte', 1)), name='premise_has_a_sentence'), models.CheckConstraint(condition=models.Q(('status__in', ['open', 'paused', 'dropped'])), name='premise_status_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'dropped'), models.Q(('dropped_because', ''), _negated=True)), models.Q(models.Q(('status', 'dropped'), _negated=True), ('dropped_because', '')), _connector='OR'), name='premise_dropped_for_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='PremiseImport',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('settings_digest', models.CharField(help_text='of the options that decide what goes in', max_length=64)),
                        ('lines_read', models.PositiveIntegerField(default=0)),
                        ('added', models.PositiveIntegerField(default=0)),
                        ('started_at', models.DateTimeField(auto_now_add=True)),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('genre', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='collection.genre')),
                        ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='premise_imports', to='collection.source')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('source', 'genre', 'settings_digest'), name='one_progress_a_source_and_genre')],
                    },
                ),
                migrations.CreateModel(
                    name='DroppedLine',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('line', models.PositiveIntegerField(help_text='its line in the source file')),
                        ('place', models.PositiveIntegerField(default=1, help_text='which sentence of the line, from 1')),
                        ('document', models.CharField(blank=True, max_length=300)),
                        ('group', models.CharField(blank=True, max_length=300)),
                        ('public_id', models.CharField(blank=True, max_length=200)),
                        ('text', models.TextField()),
                        ('sentence_count', models.PositiveSmallIntegerField(default=1)),
                        ('filter', models.CharField(max_length=30)),
                        ('restored_at', models.DateTimeField(blank=True, null=True)),
                        ('restored_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('genre', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='dropped_lines', to='collection.genre')),
                        ('restored_as', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='restored_from', to='collection.premise')),
                        ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='dropped_lines', to='collection.source')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['genre', 'filter', 'id'], name='dropped_lines_by_filter')],
                        'constraints': [models.UniqueConstraint(fields=('source', 'genre', 'line', 'place'), name='a_line_is_dropped_once'), models.CheckConstraint(condition=models.Q(models.Q(('restored_as', None), ('restored_at', None)), models.Q(('restored_as__isnull', False), ('restored_at__isnull', False)), _connector='OR'), name='restored_line_is_a_premise')],
                    },
                ),
                migrations.CreateModel(
                    name='WritingSeat',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('position', models.PositiveSmallIntegerField()),
                        ('is_pilot', models.BooleanField(default=False, help_text='for the pilots of a prompt, beside the real seats')),
                        ('turn', models.PositiveIntegerField(help_text='the order in which seats are handed out')),
                        ('leased_until', models.DateTimeField(blank=True, null=True)),
                        ('submitted_at', models.DateTimeField(blank=True, null=True)),
                        ('annotator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('genre', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='collection.genre')),
                        ('premise', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='collection.premise')),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('submitted_at', None)), fields=['genre', 'turn'], name='unwritten_seats_in_turn')],
                        'constraints': [models.UniqueConstraint(fields=('premise', 'position', 'is_pilot'), name='one_seat_a_premise_and_position'), models.UniqueConstraint(condition=models.Q(('annotator__isnull', False)), fields=('premise', 'annotator'), name='one_seat_a_premise_and_annotator'), models.CheckConstraint(condition=models.Q(models.Q(('annotator', None), ('leased_until', None)), models.Q(('annotator__isnull', False), ('leased_until__isnull', False)), _connector='OR'), name='writing_lease_has_annotator_and_end'), models.CheckConstraint(condition=models.Q(('submitted_at', None), ('annotator__isnull', False), _connector='OR'), name='written_by_somebody')],
                    },
                ),
                migrations.CreateModel(
                    name='WritingAssignment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('token', models.CharField(default=accounts.models.new_token, editable=False, max_length=22, unique=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('outcome', models.CharField(blank=True, choices=[('submitted', 'Submitted'), ('surplus', 'surplus: somebody else finished the premise first'), ('skipped', 'Skipped'), ('reported', 'reported as a problem'), ('expired', 'Expired')], max_length=9)),
                        ('model_helped', models.BooleanField(default=False, help_text='the writer said that a language model helped')),
                        ('skip_reason', models.CharField(blank=True, choices=[('upsetting', 'It upsets me'), ('unclear', 'I do not understand the text'), ('hard', 'I cannot think of sentences for it'), ('other', 'Another reason')], max_length=9)),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='collection.corpus')),
                        ('prompt_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='collection.promptversion')),
                        ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='collection.writingseat')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('annotator', 'corpus'), name='one_open_writing_assignment_an_annotator'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('outcome', '')), models.Q(('closed_at__isnull', False), models.Q(('outcome', ''), _negated=True)), _connector='OR'), name='closed_writing_assignment_has_an_outcome'), models.CheckConstraint(condition=models.Q(('skip_reason', ''), models.Q(('outcome', 'skipped'), ('skip_reason__in', ['upsetting', 'unclear', 'hard', 'other'])), _connector='OR'), name='only_skipped_writing_has_a_skip_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='DraftText',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('label', models.CharField(max_length=20)),
                        ('text', models.TextField()),
                        ('saved_at', models.DateTimeField(auto_now=True)),
                        ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='collection.writingassignment')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'label'), name='one_draft_a_field')],
                    },
                ),
                migrations.CreateModel(
                    name='AdviceGiven',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('label', models.CharField(max_length=20)),
                        ('advice', models.CharField(max_length=30)),
                        ('refused', models.BooleanField()),
                        ('given_at', models.DateTimeField(auto_now_add=True)),
                        ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='advice', to='collection.writingassignment')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['advice', 'refused'], name='advice_by_kind')],
                    },
                ),
                migrations.CreateModel(
                    name='WritingSignals',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('active_ms', models.PositiveIntegerField(default=0, help_text='time with the page in front, idle time left out')),
                        ('keystrokes', models.PositiveIntegerField(default=0)),
                        ('pastes', models.PositiveIntegerField(default=0)),
                        ('pasted_chars', models.PositiveIntegerField(default=0)),
                        ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='signals', to='collection.writingassignment')),
                    ],
                ),
                migrations.CreateModel(
                    name='PromptReading',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tries', models.PositiveSmallIntegerField(default=0)),
                        ('passed_at', models.DateTimeField(blank=True, null=True)),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='readings', to='collection.promptversion')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('annotator', 'version'), name='one_reading_a_person_and_version')],
                    },
                ),
                migrations.CreateModel(
                    name='PilotWriter',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('chosen_at', models.DateTimeField(auto_now_add=True)),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('prompt', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pilots', to='collection.prompt')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('prompt', 'annotator'), name='pilot_chosen_once')],
                    },
                ),
                migrations.CreateModel(
                    name='ProblemReport',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField()),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('answer', models.TextField(blank=True)),
                        ('answered_at', models.DateTimeField(blank=True, null=True)),
                        ('answered_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reports', to='collection.writingassignment')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='problem_report_not_empty')],
                    },
                ),
                migrations.CreateModel(
                    name='Pair',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('hypothesis', models.TextField(blank=True)),
                        ('public_id', models.CharField(default=accounts.models.new_token, max_length=200)),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], max_length=20)),
                        ('author_label', models.CharField(blank=True, max_length=20, null=True)),
                        ('published_label', models.CharField(blank=True, help_text='a gold label that came without its votes', max_length=20, null=True)),
                        ('published_partition', models.CharField(blank=True, choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5, null=True)),
                        ('construction', models.CharField(blank=True, help_text='how a machine made the hypothesis, by the names of its rules', max_length=200)),
                        ('metadata', models.JSONField(blank=True, help_text='what a published file says of the pair and no column here holds', null=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                        ('withdrawn_because', models.CharField(blank=True, help_text='one of the reasons in models/withdrawal.py; snapshots publish it', max_length=200)),
                        ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to=settings.AUTH_USER_MODEL)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='collection.corpus')),
                        ('exclusion', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='collection.exclusion')),
                        ('premise', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='collection.premise')),
                        ('prompt_version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='collection.promptversion')),
                        ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to='collection.source')),
                        ('vetting', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='collection.vetting')),
                        ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='collection.writingassignment')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['corpus', 'id'], name='pairs_of_corpus_by_key'), models.Index(condition=models.Q(('exclusion__isnull', False)), fields=['exclusion'], name='pairs_by_exclusion'), models.Index(condition=models.Q(('vetting__isnull', False)), fields=['vetting'], name='pairs_by_vetting')],
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'public_id'), name='pair_id_unique_in_corpus'), models.CheckConstraint(condition=models.Q(('author_label__isnull', True), models.Q(('author_label__in', ('entailment', 'neutral', 'contradiction')), ('scheme', 'nli3')), models.Q(('author_label__in', ('entailed', 'not-entailed')), ('scheme', 'entailed2')), models.Q(('author_label__in', ('1', '2', '3', '4', '5')), ('scheme', 'ordinal5')), models.Q(('author_label__in', ('none', 'minor', 'major')), ('scheme', 'grammar3')), _connector='OR'), name='author_label_fits_scheme'), models.CheckConstraint(condition=models.Q(('published_label__isnull', True), models.Q(('published_label__in', ('entailment', 'neutral', 'contradiction')), ('scheme', 'nli3')), models.Q(('published_label__in', ('entailed', 'not-entailed')), ('scheme', 'entailed2')), models.Q(('published_label__in', ('1', '2', '3', '4', '5')), ('scheme', 'ordinal5')), models.Q(('published_label__in', ('none', 'minor', 'major')), ('scheme', 'grammar3')), _connector='OR'), name='published_label_fits_scheme'), models.CheckConstraint(condition=models.Q(('published_partition', None), ('published_partition__in', ('train', 'dev', 'test')), _connector='OR'), name='published_partition_is_known'), models.CheckConstraint(condition=models.Q(('assignment', None), models.Q(('hypothesis', ''), _negated=True), _connector='OR'), name='written_hypothesis_not_empty'), models.CheckConstraint(condition=models.Q(('exclusion', None), ('withdrawn_at__isnull', False), _connector='OR'), name='exclusion_withdraws_pair'), models.CheckConstraint(condition=models.Q(('vetting', None), models.Q(('exclusion', None), ('withdrawn_at__isnull', False)), _connector='OR'), name='vetting_withdraws_pair'), models.CheckConstraint(condition=models.Q(('withdrawn_at', None), ('withdrawn_because__in', ('surplus: somebody else finished the premise first', "sent after a researcher had ended this person's writing", 'pilot of the prompt', 'its author was excluded', 'its annotator was excluded', 'its pair was withdrawn', 'the label of this seat came back', 'set aside by a researcher', 'corrected by its annotator', 'returned to its writer to be mended')), _connector='OR'), name='withdrawn_for_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Parse',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('premise_parse', models.TextField(blank=True)),
                        ('premise_binary_parse', models.TextField(blank=True)),
                        ('hypothesis_parse', models.TextField(blank=True)),
                        ('hypothesis_binary_parse', models.TextField(blank=True)),
                        ('pair', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='parse', to='collection.pair')),
                    ],
                ),
                migrations.CreateModel(
                    name='PayList',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('approved_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('exported_at', models.DateTimeField(blank=True, null=True)),
                        ('paid_at', models.DateTimeField(blank=True, null=True)),
                        ('approved_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pay_lists', to='collection.corpus')),
                        ('exported_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('paid_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'ordering': ['-pk'],
                        'constraints': [models.UniqueConstraint(fields=('id', 'corpus'), name='pay_list_with_its_corpus'), models.CheckConstraint(condition=models.Q(models.Q(('exported_at', None), ('exported_by', None)), models.Q(('exported_at__isnull', False), ('exported_by__isnull', False)), _connector='OR'), name='pay_list_exported_by_somebody'), models.CheckConstraint(condition=models.Q(models.Q(('paid_at', None), ('paid_by', None)), models.Q(('exported_at__isnull', False), ('paid_at__isnull', False), ('paid_by__isnull', False)), _connector='OR'), name='pay_list_paid_after_its_export')],
                    },
                ),
                migrations.CreateModel(
                    name='LedgerEntry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('kind', models.CharField(choices=[('writing', 'Writing'), ('skip', 'skip: a text that was skipped because it is upsetting'), ('labels', 'Labels'), ('bonus', 'bonus: agreed with an expert on a control item'), ('reading', 'reading: the instructions of a prompt, once'), ('topup', 'topup: brought up to an hourly wage')], max_length=7)),
                        ('cents', models.BigIntegerField()),
                        ('reason', models.CharField(max_length=200)),
                        ('key', models.CharField(help_text='The same piece of work earns once.', max_length=100)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('corpus', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='collection.corpus')),
                        ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to=settings.AUTH_USER_MODEL)),
                        ('pay_list', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='collection.paylist')),
                    ],
                    options={
                        'verbose_name_plural': 'ledger entries',
                        'indexes': [models.Index(fields=['corpus', 'user'], name='pay_by_corpus'), models.Index(condition=models.Q(('pay_list__isnull', False)), fields=['pay_list'], name='pay_by_list')],
                        'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='one_entry_a_piece_of_work'), models.CheckConstraint(condition=models.Q(('cents__gte', 0)), name='pay_is_never_taken_back'), models.CheckConstraint(condition=models.Q(models.Q(('kind', 'topup'), _negated=True), ('cents__lte', 100000), _connector='OR'), name='top_up_is_bounded'), models.CheckConstraint(condition=models.Q(('kind__in', ['writing', 'skip', 'labels', 'bonus', 'reading', 'topup'])), name='kind_of_pay_is_known'), shared.constraints.RowExists(columns=('pay_list_id', 'corpus_id'), name='entry_is_of_the_corpus_of_its_pay_list', to='collection_paylist', to_columns=('id', 'corpus_id'))],
                    },
                ),
                migrations.CreateModel(
                    name='EntryLink',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('token', models.CharField(default=accounts.models.new_token, editable=False, max_length=22, unique=True)),
                        ('platform', models.CharField(help_text='such as prolific, connect or mturk', max_length=60)),
                        ('name', models.CharField(help_text='for researchers', max_length=200)),
                        ('participant_key', models.CharField(default='PROLIFIC_PID', max_length=60)),
                        ('study_key', models.CharField(blank=True, default='STUDY_ID', max_length=60)),
                        ('session_key', models.CharField(blank=True, default='SESSION_ID', max_length=60)),
                        ('proof', models.CharField(choices=[('none', 'none: anybody who knows or invents an id gets in with it'), ('signature', "signature: your own server signs the ids with the link's secret"), ('prolific', 'prolific: Prolific signs the ids (secure address of the study)')], help_text='with none, people who know the address can invent participants and label a pair several times', max_length=9, verbose_name='proof of who comes')),
                        ('secret', models.CharField(default=collection.models.joining.new_secret, editable=False, max_length=43, verbose_name='secret for signatures')),
                        ('workspace', models.CharField(blank=True, help_text='its id, for the proof by Prolific', max_length=60, verbose_name='Prolific workspace')),
                        ('tasks_wanted', models.PositiveIntegerField(default=1, help_text='finished tasks before the code is shown')),
                        ('completion_code', models.CharField(blank=True, max_length=100)),
                        ('no_work_code', models.CharField(blank=True, help_text='for people who find no more work before their last task: a code, or an address to return to; empty: they are asked to write to you', max_length=500, verbose_name='code when work runs out')),
                        ('completion_url', models.CharField(blank=True, help_text='where people go back to, if anywhere', max_length=500, validators=[django.core.validators.URLValidator(['https', 'http'])])),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entry_links', to='collection.corpus')),
                        ('grants', models.ForeignKey(blank=True, help_text='a qualification for everybody who comes in by this link', null=True, on_delete=django.db.models.deletion.PROTECT, to='accounts.qualification')),
                        ('minutes', models.PositiveSmallIntegerField(blank=True, help_text='how long a visit takes; empty: computed from the tasks', null=True)),
                        ('minutes_allowed', models.PositiveSmallIntegerField(blank=True, help_text='after so many minutes a visit has run out of time; empty: never', null=True)),
                        ('opened', models.PositiveIntegerField(default=0, editable=False, help_text='browsers in which the address was opened')),
                        ('screened_out_code', models.CharField(blank=True, help_text='for people who did not pass the exam, or whom you excluded: a code, or an address to return to', max_length=500, verbose_name='code for screened out people')),
                        ('timed_out_code', models.CharField(blank=True, help_text='for people who were not done after the minutes allowed: a code, or an address to return to', max_length=500, verbose_name='code when time is over')),
                        ('work', models.CharField(blank=True, choices=[('', 'whatever there is'), ('writing', 'writing'), ('labelling', 'labelling')], default='', help_text='what people come for', max_length=9)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('completion_code', ''), _negated=True), models.Q(('completion_url', ''), _negated=True), _connector='OR'), name='entry_link_says_how_it_ends'), models.CheckConstraint(condition=models.Q(('tasks_wanted__gte', 1)), name='entry_link_wants_some_work'), models.CheckConstraint(condition=models.Q(('proof__in', ['none', 'signature', 'prolific'])), name='entry_proof_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('proof', 'prolific'), _negated=True), models.Q(('workspace', ''), _negated=True), _connector='OR'), name='prolific_proof_names_a_workspace', violation_error_message='For the proof by Prolific, give the id of your workspace there.'), models.CheckConstraint(condition=models.Q(('work__in', ['', 'writing', 'labelling'])), name='entry_work_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='Visit',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('study', models.CharField(blank=True, max_length=200)),
                        ('session', models.CharField(blank=True, max_length=200)),
                        ('browser', models.CharField(blank=True, editable=False, max_length=64)),
                        ('arrived_at', models.DateTimeField(auto_now_add=True)),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('link', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='visits', to='collection.entrylink')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='visits', to=settings.AUTH_USER_MODEL)),
                        ('ended_as', models.CharField(blank=True, choices=[('finished', 'Finished'), ('no work', 'no more work'), ('screened out', 'Screened Out'), ('timed out', 'out of time')], max_length=12)),
                        ('returned_at', models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('link', 'user', 'session'), name='one_visit_a_session'), models.CheckConstraint(condition=models.Q(models.Q(('ended_as', ''), ('returned_at', None)), models.Q(('ended_as__in', ['finished', 'no work', 'screened out', 'timed out']), ('returned_at__isnull', False)), _connector='OR'), name='returned_visit_says_how_it_ended')],
                    },
                ),
                migrations.CreateModel(
                    name='Exam',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(default='writing', help_text="writing, or label- and a question's", max_length=70)),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], default='nli3', max_length=20)),
                        ('instructions', models.TextField(blank=True, help_text='Markdown')),
                        ('pass_mark', models.PositiveSmallIntegerField(default=80, help_text='percent of the known labels')),
                        ('tries', models.PositiveSmallIntegerField(default=2)),
                        ('is_open', models.BooleanField(default=True, help_text='whether it can be taken; results stay')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exams', to='collection.corpus')),
                        ('qualification', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='exam', to='accounts.qualification')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('pass_mark__lte', 100)), name='pass_mark_is_a_share'), models.CheckConstraint(condition=models.Q(('tries__gte', 1)), name='exam_can_be_tried'), models.CheckConstraint(condition=models.Q(('scheme__in', ['nli3', 'entailed2', 'ordinal5', 'grammar3'])), name='exam_scheme_is_known'), models.UniqueConstraint(fields=('corpus', 'slug'), name='exam_slug_unique_in_corpus')],
                    },
                ),
                migrations.CreateModel(
                    name='ExamItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('premise', models.TextField()),
                        ('hypothesis', models.TextField(blank=True)),
                        ('label', models.CharField(help_text='the known label, or the one to write for', max_length=20)),
                        ('exam', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='collection.exam')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('exam', 'order'), name='one_exam_item_a_place')],
                    },
                ),
                migrations.CreateModel(
                    name='ExamAttempt',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveSmallIntegerField(default=1)),
                        ('score', models.PositiveSmallIntegerField(blank=True, help_text='percent of the known labels', null=True)),
                        ('sent_at', models.DateTimeField(auto_now_add=True)),
                        ('passed', models.BooleanField(blank=True, help_text='empty: a researcher has yet to judge', null=True)),
                        ('judged_at', models.DateTimeField(blank=True, null=True)),
                        ('judgement', models.TextField(blank=True, help_text='shown to the annotator')),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('exam', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='attempts', to='collection.exam')),
                        ('judged_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('exam', 'annotator', 'number'), name='one_attempt_a_number'), models.UniqueConstraint(condition=models.Q(('passed', None)), fields=('exam', 'annotator'), name='one_unjudged_attempt'), models.CheckConstraint(condition=models.Q(models.Q(('judged_at', None), ('passed', None)), models.Q(('judged_at__isnull', False), ('passed__isnull', False)), _connector='OR'), name='judged_attempt_has_a_time')],
                    },
                ),
                migrations.CreateModel(
                    name='ExamAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('premise', models.TextField()),
                        ('hypothesis', models.TextField()),
                        ('wanted_label', models.CharField(max_length=20)),
                        ('label', models.CharField(blank=True, help_text='the answer, where the hypothesis was given', max_length=20)),
                        ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='collection.examattempt')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('attempt', 'order'), name='one_answer_an_exam_item')],
                    },
                ),
                migrations.CreateModel(
                    name='SignUp',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sign_ups', to='collection.corpus')),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sign_ups', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('user', 'corpus'), name='one_sign_up_a_person_and_corpus')],
                    },
                ),
                migrations.CreateModel(
                    name='ReturnedText',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('remark', models.TextField(help_text='what to mend; the writer reads it')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('until', models.DateTimeField(default=collection.models.returned.last_moment)),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('outcome', models.CharField(blank=True, choices=[('mended', 'Mended'), ('declined', 'Declined'), ('back', 'taken back by a researcher: the pair counts as it was')], max_length=8)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('mended', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='mends', to='collection.pair')),
                        ('pair', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='returned', to='collection.pair')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('remark', ''), _negated=True), name='returned_with_a_remark'), models.CheckConstraint(condition=models.Q(models.Q(('closed_at', None), ('outcome', '')), models.Q(('closed_at__isnull', False), ('outcome__in', ['mended', 'declined', 'back'])), _connector='OR'), name='closed_return_has_an_outcome'), models.CheckConstraint(condition=models.Q(models.Q(('mended__isnull', False), ('outcome', 'mended')), models.Q(models.Q(('outcome', 'mended'), _negated=True), ('mended', None)), _connector='OR'), name='mended_text_has_its_pair'), models.CheckConstraint(condition=models.Q(('mended', None), models.Q(('mended', models.F('pair')), _negated=True), _connector='OR'), name='mended_text_is_another_pair')],
                    },
                ),
            ],
        ),
    ]
