# Written from the models: constraints and indexes stand in their tables, and the tables in one operation.

import django.db.models.deletion
import django.utils.timezone
import shared.schema_operations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('snapshots', '0001_tables')]

    initial = True

    dependencies = [
        ('accounts', '0001_schema'),
        ('collection', '0001_schema'),
    ]

    operations = [
        shared.schema_operations.CreateModels(
            models=[
                migrations.CreateModel(
                    name='Parser',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('spacy', models.CharField(help_text='version', max_length=40)),
                        ('model', models.CharField(help_text='package and version', max_length=80)),
                        ('rules', models.PositiveSmallIntegerField(help_text='snapshots.parses.tree_rules.RULES')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('spacy', 'model', 'rules'), name='one_parser_a_version')],
                    },
                ),
                migrations.CreateModel(
                    name='DerivedTree',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('digest', models.BinaryField(help_text='sha256 of the sentence', max_length=32)),
                        ('parse', models.TextField(blank=True, help_text='empty where the sentence has no word')),
                        ('binary_parse', models.TextField(blank=True)),
                        ('parser', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='trees', to='snapshots.parser')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('parser', 'digest'), name='one_tree_a_sentence_and_parser')],
                    },
                ),
                migrations.CreateModel(
                    name='Snapshot',
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
                        ('version', models.PositiveIntegerField()),
                        ('status', models.CharField(choices=[('requested', 'Requested'), ('freezing', 'Freezing'), ('frozen', 'Frozen'), ('failed', 'Failed')], default='requested', max_length=9)),
                        ('seed', models.IntegerField(default=0)),
                        ('dev_from_train', models.PositiveIntegerField(default=0, help_text='whole premises of a published train partition held out as dev')),
                        ('author_disjoint', models.BooleanField(default=False, help_text='no author of test pairs in train')),
                        ('sha256', models.CharField(blank=True, help_text='over the content files; empty until frozen', max_length=64)),
                        ('pair_count', models.PositiveIntegerField(default=0)),
                        ('frozen_at', models.DateTimeField(blank=True, null=True)),
                        ('published_at', models.DateTimeField(blank=True, null=True)),
                        ('retracted_at', models.DateTimeField(blank=True, null=True)),
                        ('retracted_because', models.TextField(blank=True, help_text='the notice that every reader sees')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='snapshots', to='collection.corpus')),
                        ('parser', models.ForeignKey(blank=True, help_text='derives trees for sentences that came without; empty: none are derived', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.parser')),
                        ('published_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('retracted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'freezing'), models.Q(('claimed_by', ''), _negated=True), ('heartbeat_at__isnull', False), ('started_at__isnull', False)), models.Q(models.Q(('status', 'freezing'), _negated=True), ('claimed_by', '')), _connector='OR'), name='snapshot_is_claimed_while_worked_on'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='failed_snapshot_says_why'), models.CheckConstraint(condition=models.Q(('share__gte', 0), ('share__lte', 1)), name='snapshot_share_is_one'), models.UniqueConstraint(fields=('corpus', 'version'), name='snapshot_version_unique'), models.UniqueConstraint(condition=models.Q(('sha256', ''), _negated=True), fields=('corpus', 'sha256'), name='one_snapshot_a_content'), models.UniqueConstraint(condition=models.Q(('status__in', ['requested', 'freezing'])), fields=('corpus',), name='one_freeze_at_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'frozen'), _negated=True), models.Q(models.Q(('sha256', ''), _negated=True), ('frozen_at__isnull', False)), _connector='OR'), name='frozen_has_hash_and_time'), models.CheckConstraint(condition=models.Q(models.Q(('published_at', None), ('published_by', None)), models.Q(('published_at__isnull', False), ('published_by__isnull', False), ('status', 'frozen')), _connector='OR'), name='published_is_frozen_and_by_somebody'), models.CheckConstraint(condition=models.Q(models.Q(('retracted_at', None), ('retracted_because', ''), ('retracted_by', None)), models.Q(('published_at__isnull', False), ('retracted_at__isnull', False), ('retracted_by__isnull', False), models.Q(('retracted_because', ''), _negated=True)), _connector='OR'), name='retracted_was_published_and_says_why')],
                    },
                ),
                migrations.CreateModel(
                    name='Placement',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('partition', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                        ('origin', models.CharField(choices=[('made', 'made here, by seed'), ('held_out', 'held out as dev from a published train partition')], default='made', max_length=8)),
                        ('premise', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='placement', to='collection.premise')),
                        ('first_snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.snapshot')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('partition__in', ('train', 'dev', 'test'))), name='partition_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('origin', 'held_out'), _negated=True), ('partition', 'dev'), _connector='OR'), name='held_out_premises_are_dev')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotPair',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('partition', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], max_length=20)),
                        ('gold_label', models.CharField(max_length=20, null=True)),
                        ('gold_source', models.CharField(choices=[('voted', 'the votes decided'), ('adjudicated', 'a researcher decided'), ('published', 'the label came with the corpus'), ('author', "the author's label alone: nobody was asked again"), ('none', 'no label has enough votes')], max_length=11)),
                        ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.pair')),
                        ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='snapshots.snapshot')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['snapshot', 'id'], name='snapshot_by_key')],
                        'constraints': [models.UniqueConstraint(fields=('snapshot', 'pair'), name='one_row_a_pair_and_snapshot'), models.CheckConstraint(condition=models.Q(('partition__in', ('train', 'dev', 'test'))), name='frozen_partition_is_known'), models.CheckConstraint(condition=models.Q(('gold_label__isnull', True), models.Q(('gold_label__in', ('entailment', 'neutral', 'contradiction')), ('scheme', 'nli3')), models.Q(('gold_label__in', ('entailed', 'not-entailed')), ('scheme', 'entailed2')), models.Q(('gold_label__in', ('1', '2', '3', '4', '5')), ('scheme', 'ordinal5')), models.Q(('gold_label__in', ('none', 'minor', 'major')), ('scheme', 'grammar3')), _connector='OR'), name='frozen_gold_fits_scheme'), models.CheckConstraint(condition=models.Q(models.Q(('gold_label', None), ('gold_source', 'none')), models.Q(models.Q(('gold_source', 'none'), _negated=True), ('gold_label__isnull', False)), _connector='OR'), name='frozen_gold_has_a_source')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotLabel',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('position', models.PositiveSmallIntegerField()),
                        ('label', models.CharField(max_length=20)),
                        ('annotator_code', models.CharField(blank=True, max_length=40)),
                        ('row', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='snapshots.snapshotpair')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('row', 'position'), name='one_frozen_label_a_position')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotSentenceLabel',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sentence', models.PositiveSmallIntegerField()),
                        ('position', models.PositiveSmallIntegerField()),
                        ('label', models.CharField(max_length=20)),
                        ('annotator_code', models.CharField(blank=True, max_length=40)),
                        ('row', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='sentence_labels', to='snapshots.snapshotpair')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('row', 'sentence', 'position'), name='one_frozen_label_a_sentence_and_position')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('question', models.CharField(blank=True, max_length=60)),
                        ('sentence', models.PositiveSmallIntegerField(default=0)),
                        ('position', models.PositiveSmallIntegerField(null=True)),
                        ('round', models.PositiveSmallIntegerField(default=1, help_text='2: asked for beyond the seats')),
                        ('counts', models.BooleanField()),
                        ('label', models.CharField(max_length=20, null=True)),
                        ('skip_reason', models.CharField(max_length=10, null=True)),
                        ('annotator_code', models.CharField(blank=True, max_length=40)),
                        ('reason', models.TextField(blank=True)),
                        ('origin', models.CharField(blank=True, help_text="expert or model; empty: a person's", max_length=8)),
                        ('model', models.CharField(blank=True, max_length=100)),
                        ('withdrawn_because', models.CharField(blank=True, max_length=200)),
                        ('row', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='snapshots.snapshotpair')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('label', None), ('skip_reason__isnull', False)), models.Q(('label__isnull', False), ('skip_reason', None)), _connector='OR'), name='frozen_answer_is_a_label_or_a_skip'), models.CheckConstraint(condition=models.Q(('counts', False), models.Q(('label__isnull', False), ('origin', ''), ('position__isnull', False), ('withdrawn_because', '')), _connector='OR'), name='frozen_answer_that_counts_stands')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=100)),
                        ('sha256', models.CharField(max_length=64)),
                        ('size', models.BigIntegerField(help_text='bytes')),
                        ('lines', models.PositiveIntegerField(null=True)),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='files', to='snapshots.snapshot')),
                    ],
                    options={
                        'ordering': ['name'],
                        'constraints': [models.UniqueConstraint(fields=('snapshot', 'name'), name='one_file_a_name')],
                    },
                ),
                migrations.CreateModel(
                    name='DatasheetAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('question', models.CharField(help_text='a key of QUESTIONS', max_length=20)),
                        ('text', models.TextField(blank=True)),
                        ('answered_at', models.DateTimeField(auto_now_add=True)),
                        ('answered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='datasheet_answers', to='collection.corpus')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['corpus', 'question', '-id'], name='newest_answer')],
                        'constraints': [models.CheckConstraint(condition=models.Q(('question__in', ['purpose', 'sources', 'people', 'background', 'sensitive', 'uses', 'biases', 'maintenance'])), name='datasheet_question_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotStatistics',
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
                        ('kind', models.CharField(choices=[('corpus', 'sizes, lengths, overlap, labels'), ('artifacts', 'words and lengths that give labels away'), ('tags', 'annotation tags')], max_length=9)),
                        ('edition', models.PositiveIntegerField()),
                        ('data', models.JSONField(help_text='what snapshots.statistics made', null=True)),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statistics', to='snapshots.snapshot')),
                    ],
                    options={
                        'verbose_name_plural': 'snapshot statistics',
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'working'), models.Q(('claimed_by', ''), _negated=True), ('heartbeat_at__isnull', False), ('started_at__isnull', False)), models.Q(models.Q(('status', 'working'), _negated=True), ('claimed_by', '')), _connector='OR'), name='statistics_is_claimed_while_worked_on'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='failed_statistics_says_why'), models.CheckConstraint(condition=models.Q(('share__gte', 0), ('share__lte', 1)), name='statistics_share_is_one'), models.UniqueConstraint(fields=('snapshot', 'kind', 'edition'), name='one_statistics_a_kind_and_edition'), models.CheckConstraint(condition=models.Q(('kind__in', ['corpus', 'artifacts', 'tags'])), name='statistics_kind_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('data__isnull', False), ('status', 'done')), models.Q(models.Q(('status', 'done'), _negated=True), ('data__isnull', True)), _connector='OR'), name='statistics_have_data_when_done')],
                    },
                ),
                migrations.CreateModel(
                    name='SnapshotExport',
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
                        ('format', models.CharField(max_length=20)),
                        ('basis', models.CharField(max_length=64)),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='exports', to='snapshots.snapshot')),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'working'), models.Q(('claimed_by', ''), _negated=True), ('heartbeat_at__isnull', False), ('started_at__isnull', False)), models.Q(models.Q(('status', 'working'), _negated=True), ('claimed_by', '')), _connector='OR'), name='export_is_claimed_while_worked_on'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='failed_export_says_why'), models.CheckConstraint(condition=models.Q(('share__gte', 0), ('share__lte', 1)), name='export_share_is_one'), models.UniqueConstraint(fields=('snapshot', 'format', 'basis'), name='one_export_a_format_and_basis')],
                    },
                ),
                migrations.CreateModel(
                    name='ExportedFile',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=100)),
                        ('sha256', models.CharField(max_length=64)),
                        ('size', models.BigIntegerField(help_text='bytes')),
                        ('export', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='snapshots.snapshotexport')),
                    ],
                    options={
                        'ordering': ['name'],
                        'constraints': [models.UniqueConstraint(fields=('export', 'name'), name='one_exported_file_a_name')],
                    },
                ),
            ],
        ),
    ]
