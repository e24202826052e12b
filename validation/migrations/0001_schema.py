# Written from the models: constraints and indexes stand in their tables, and the tables in one operation.

import accounts.models
import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
import shared.constraints
import shared.schema_operations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('validation', '0001_tables'), ('validation', '0002_rules_of_partitions_are_unanimous'), ('validation', '0003_the_overview_of_a_corpus_is_cached'), ('validation', '0004_pairs_by_genre_labels_and_votes'), ('validation', '0005_labels_can_be_corrected'), ('validation', '0006_returned_texts')]

    initial = True

    dependencies = [
        ('accounts', '0001_schema'),
        ('collection', '0001_schema'),
    ]

    operations = [
        shared.schema_operations.CreateModels(
            models=[
                migrations.CreateModel(
                    name='Question',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(default='main', max_length=60)),
                        ('is_main', models.BooleanField(default=True)),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], max_length=20)),
                        ('wording', models.TextField(blank=True)),
                        ('instructions', models.TextField(blank=True, help_text='Markdown')),
                        ('seats', models.PositiveSmallIntegerField(default=5, help_text="labels per pair, including the author's")),
                        ('threshold', models.PositiveSmallIntegerField(default=3)),
                        ('gold_rule', models.CharField(choices=[('majority', 'majority: the label with at least as many votes as the threshold'), ('adjudicated', 'adjudicated: the majority; a researcher decides if there is none, or if entailment and contradiction share all the votes with at least two each'), ('unanimous', 'unanimous: the label that all votes share, if they are at least as many as the threshold; on the scale of five points, 5 means entailed and 1 to 4 mean not entailed')], default='majority', max_length=20)),
                        ('batch_size', models.PositiveSmallIntegerField(default=5)),
                        ('pay_cents', models.PositiveIntegerField(default=0, help_text='for one label')),
                        ('seconds', models.PositiveIntegerField(default=12, help_text='expected time for one label')),
                        ('pool_is_open', models.BooleanField(default=True, help_text='whether every annotator may join, or only invited ones')),
                        ('hides_premise', models.BooleanField(default=False, help_text='the hypothesis is judged without its premise')),
                        ('by_sentence', models.BooleanField(default=False, help_text='each sentence of the premise is judged by itself')),
                        ('most_labels', models.PositiveSmallIntegerField(default=100, help_text='the most labels a pair can get when more labels are requested for disputed pairs')),
                        ('control_bonus_cents', models.PositiveIntegerField(default=100, help_text='for the same label as the expert on a control item')),
                        ('calibration_percent', models.PositiveSmallIntegerField(default=0, help_text='how many of a hundred slots in batches hold a calibration item')),
                        ('corpus', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='questions', to='collection.corpus')),
                        ('qualification', models.ForeignKey(blank=True, help_text='annotators without an invitation must hold it; an exam grants it', null=True, on_delete=django.db.models.deletion.PROTECT, to='accounts.qualification')),
                        ('correct_minutes', models.PositiveIntegerField(default=30, help_text='how long annotators may correct a label that they sent; 0: not at all')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('corpus', 'slug'), name='question_slug_unique_in_corpus'), models.UniqueConstraint(condition=models.Q(('is_main', True)), fields=('corpus',), name='one_main_question_a_corpus'), models.CheckConstraint(condition=models.Q(('scheme__in', ['nli3', 'entailed2', 'ordinal5', 'grammar3'])), name='question_scheme_is_known'), models.CheckConstraint(condition=models.Q(('seats__gte', 1), ('seats__lt', django.db.models.expressions.CombinedExpression(models.F('threshold'), '*', models.Value(2))), ('threshold__lte', models.F('seats'))), name='threshold_is_a_majority'), models.CheckConstraint(condition=models.Q(('batch_size__gte', 1)), name='batch_holds_a_pair'), models.CheckConstraint(condition=models.Q(('gold_rule__in', ['majority', 'adjudicated', 'unanimous'])), name='gold_rule_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('gold_rule', 'adjudicated'), _negated=True), ('scheme', 'nli3'), _connector='OR'), name='adjudicated_rule_is_for_nli3'), models.CheckConstraint(condition=models.Q(('is_main', False), ('by_sentence', False), _connector='OR'), name='main_question_is_about_the_whole'), models.CheckConstraint(condition=models.Q(('hides_premise', False), ('by_sentence', False), _connector='OR'), name='a_judged_sentence_is_shown'), models.CheckConstraint(condition=models.Q(('calibration_percent__lte', 100)), name='calibration_share_is_a_share'), models.UniqueConstraint(fields=('id', 'gold_rule'), name='question_with_its_gold_rule')],
                    },
                ),
                migrations.CreateModel(
                    name='PartitionRule',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('partition', models.CharField(choices=[('train', 'train'), ('dev', 'dev'), ('test', 'test')], max_length=5)),
                        ('seats', models.PositiveSmallIntegerField(help_text='labels a pair')),
                        ('threshold', models.PositiveSmallIntegerField(help_text='equal judgements that make the gold label')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='partitions', to='validation.question')),
                        ('gold_rule', models.CharField(default='unanimous', editable=False, help_text='that of the question', max_length=20)),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('question', 'order'), name='one_partition_rule_a_place'), models.UniqueConstraint(fields=('question', 'partition'), name='one_rule_a_partition'), models.CheckConstraint(condition=models.Q(('partition__in', ('train', 'dev', 'test'))), name='ruled_partition_is_known'), models.CheckConstraint(condition=models.Q(('seats__gte', 1), ('threshold__gte', 1), ('threshold__lte', models.F('seats'))), name='partition_threshold_can_be_reached'), models.CheckConstraint(condition=models.Q(('gold_rule', 'unanimous')), name='partition_rule_is_unanimous'), shared.constraints.RowExists(columns=('question_id', 'gold_rule'), name='partition_rule_is_that_of_its_question', to='validation_question', to_columns=('id', 'gold_rule'))],
                    },
                ),
                migrations.CreateModel(
                    name='LabelWording',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('label', models.CharField(max_length=20)),
                        ('wording', models.CharField(max_length=200)),
                        ('help', models.TextField(blank=True)),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='label_wordings', to='validation.question')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('question', 'order'), name='one_wording_a_place'), models.UniqueConstraint(fields=('question', 'label'), name='one_wording_a_label')],
                    },
                ),
                migrations.CreateModel(
                    name='QuestionExample',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('premise', models.TextField()),
                        ('hypothesis', models.TextField()),
                        ('label', models.CharField(max_length=20)),
                        ('comment', models.TextField(blank=True)),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='examples', to='validation.question')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('question', 'order'), name='one_question_example_a_place')],
                    },
                ),
                migrations.CreateModel(
                    name='QuestionCheck',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('premise', models.TextField()),
                        ('hypothesis', models.TextField()),
                        ('label', models.CharField(max_length=20)),
                        ('explanation', models.TextField(help_text='shown after a wrong answer')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='check_questions', to='validation.question')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('question', 'order'), name='one_labelling_check_a_place')],
                    },
                ),
                migrations.CreateModel(
                    name='QuestionFaqEntry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('text', models.TextField()),
                        ('answer', models.TextField(help_text='Markdown')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='faq', to='validation.question')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('question', 'order'), name='one_question_faq_a_place')],
                    },
                ),
                migrations.CreateModel(
                    name='QuestionReading',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tries', models.PositiveSmallIntegerField(default=0)),
                        ('passed_at', models.DateTimeField(blank=True, null=True)),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='readings', to='validation.question')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('annotator', 'question'), name='one_reading_a_person_and_question')],
                    },
                ),
                migrations.CreateModel(
                    name='Label',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('sentence', models.PositiveSmallIntegerField(default=0, help_text='0: the whole premise')),
                        ('position', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], max_length=20)),
                        ('origin', models.CharField(choices=[('author', "the author's own label"), ('cast', 'cast by a validator'), ('imported', 'came with a published corpus'), ('expert', "a researcher's label for a control item"), ('model', "a model's label, which never counts")], default='cast', max_length=8)),
                        ('turn', models.PositiveIntegerField(blank=True, help_text='the order in which seats are handed out', null=True)),
                        ('token', models.CharField(default=accounts.models.new_token, editable=False, max_length=22)),
                        ('leased_until', models.DateTimeField(blank=True, null=True)),
                        ('label', models.CharField(blank=True, max_length=20, null=True)),
                        ('reason', models.TextField(blank=True, help_text="the annotator's reason for the label")),
                        ('model', models.CharField(blank=True, help_text='the model whose label this is', max_length=100)),
                        ('cast_at', models.DateTimeField(blank=True, null=True)),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                        ('withdrawn_because', models.CharField(blank=True, help_text='one of collection/models/withdrawal.py; snapshots publish it', max_length=200)),
                        ('annotator', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to=settings.AUTH_USER_MODEL)),
                        ('author', models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('exclusion', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='collection.exclusion')),
                        ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='labels', to='collection.pair')),
                        ('premise', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='collection.premise')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgements', to='validation.question')),
                        ('corrects', models.ForeignKey(blank=True, db_index=False, help_text='the withdrawn label that its annotator replaced by this one', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='validation.label')),
                    ],
                    options={
                        'indexes': [models.Index(condition=models.Q(('label', None), ('position__isnull', False), ('withdrawn_at', None)), fields=['question', 'turn'], name='open_seats_in_turn'), models.Index(fields=['annotator', 'question', 'premise'], name='labels_by_annotator')],
                        'constraints': [models.UniqueConstraint(fields=('token',), name='one_token_a_label'), models.UniqueConstraint(condition=models.Q(('position__isnull', False), ('withdrawn_at', None)), fields=('question', 'pair', 'sentence', 'position'), name='one_label_a_seat'), models.UniqueConstraint(condition=models.Q(('annotator__isnull', False), ('withdrawn_at', None), models.Q(('origin__in', ['imported', 'expert', 'model']), _negated=True)), fields=('question', 'pair', 'sentence', 'annotator'), name='one_label_an_annotator_and_pair'), models.CheckConstraint(condition=models.Q(models.Q(('origin', 'cast'), _negated=True), ('author', None), ('annotator', None), models.Q(('author', models.F('annotator')), _negated=True), _connector='OR'), name='author_never_validates_own_pair'), models.CheckConstraint(condition=models.Q(('label__isnull', True), models.Q(('label__in', ('entailment', 'neutral', 'contradiction')), ('scheme', 'nli3')), models.Q(('label__in', ('entailed', 'not-entailed')), ('scheme', 'entailed2')), models.Q(('label__in', ('1', '2', '3', '4', '5')), ('scheme', 'ordinal5')), models.Q(('label__in', ('none', 'minor', 'major')), ('scheme', 'grammar3')), _connector='OR'), name='label_fits_scheme'), models.CheckConstraint(condition=models.Q(('origin__in', ['author', 'cast', 'imported', 'expert', 'model'])), name='label_origin_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('origin', 'cast'), _negated=True), models.Q(('annotator', None), ('cast_at', None), ('label', None), ('leased_until', None)), models.Q(('annotator__isnull', False), ('cast_at', None), ('label', None), ('leased_until__isnull', False)), models.Q(('annotator__isnull', False), ('cast_at__isnull', False), ('label__isnull', False)), _connector='OR'), name='seat_is_empty_leased_or_cast'), models.CheckConstraint(condition=models.Q(('origin', 'cast'), ('label__isnull', False), _connector='OR'), name='only_seats_to_be_cast_wait'), models.CheckConstraint(condition=models.Q(models.Q(('origin', 'author'), _negated=True), ('position', 1), _connector='OR'), name='author_label_is_the_first'), models.CheckConstraint(condition=models.Q(models.Q(('origin__in', ['expert', 'model']), _negated=True), ('position', None), _connector='OR'), name='expert_and_model_are_none_of_the_five'), models.CheckConstraint(condition=models.Q(models.Q(('annotator', None), ('origin', 'model'), models.Q(('model', ''), _negated=True)), models.Q(models.Q(('origin', 'model'), _negated=True), ('model', '')), _connector='OR'), name='model_label_names_its_model'), models.UniqueConstraint(condition=models.Q(('origin', 'expert'), ('withdrawn_at', None)), fields=('question', 'pair', 'sentence'), name='one_expert_label_a_pair'), models.UniqueConstraint(condition=models.Q(('origin', 'model'), ('withdrawn_at', None)), fields=('question', 'pair', 'sentence', 'model'), name='one_label_a_model_and_pair'), models.CheckConstraint(condition=models.Q(('exclusion', None), ('withdrawn_at__isnull', False), _connector='OR'), name='exclusion_withdraws_label'), models.UniqueConstraint(condition=models.Q(('corrects__isnull', False)), fields=('corrects',), name='label_corrected_once'), models.CheckConstraint(condition=models.Q(('corrects', None), models.Q(('label__isnull', False), ('origin', 'cast')), _connector='OR'), name='only_a_cast_label_corrects'), models.CheckConstraint(condition=models.Q(('withdrawn_at', None), ('withdrawn_because__in', ('surplus: somebody else finished the premise first', "sent after a researcher had ended this person's writing", 'pilot of the prompt', 'its author was excluded', 'its annotator was excluded', 'its pair was withdrawn', 'the label of this seat came back', 'set aside by a researcher', 'corrected by its annotator', 'returned to its writer to be mended')), _connector='OR'), name='label_withdrawn_for_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Adjudication',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], max_length=20)),
                        ('label', models.CharField(max_length=20)),
                        ('reason', models.TextField()),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                        ('withdrawn_because', models.TextField(blank=True)),
                        ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('pair', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjudications', to='collection.pair')),
                        ('withdrawn_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='validation.question')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('question', 'pair'), name='one_standing_adjudication_a_pair'), models.CheckConstraint(condition=models.Q(models.Q(('withdrawn_at', None), ('withdrawn_because', ''), ('withdrawn_by', None)), models.Q(('withdrawn_at__isnull', False), ('withdrawn_by__isnull', False), models.Q(('withdrawn_because', ''), _negated=True)), _connector='OR'), name='adjudication_withdrawn_for_a_reason'), models.CheckConstraint(condition=models.Q(('label__isnull', True), models.Q(('label__in', ('entailment', 'neutral', 'contradiction')), ('scheme', 'nli3')), models.Q(('label__in', ('entailed', 'not-entailed')), ('scheme', 'entailed2')), models.Q(('label__in', ('1', '2', '3', '4', '5')), ('scheme', 'ordinal5')), models.Q(('label__in', ('none', 'minor', 'major')), ('scheme', 'grammar3')), _connector='OR'), name='adjudicated_label_fits_scheme'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='adjudicated_for_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='Assignment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('token', models.CharField(default=accounts.models.new_token, editable=False, max_length=22, unique=True)),
                        ('leased_until', models.DateTimeField()),
                        ('has_calibration', models.BooleanField(default=False, help_text='whether some slots hold calibration items')),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='validation.question')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('closed_at', None)), fields=('question', 'annotator'), name='one_open_batch_an_annotator')],
                    },
                ),
                migrations.CreateModel(
                    name='DraftAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slot', models.CharField(max_length=22)),
                        ('label', models.CharField(blank=True, max_length=20)),
                        ('skip_reason', models.CharField(blank=True, max_length=10)),
                        ('reason', models.TextField(blank=True)),
                        ('active_ms', models.PositiveIntegerField(blank=True, null=True)),
                        ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='drafts', to='validation.assignment')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'slot'), name='one_draft_a_place_in_batch')],
                    },
                ),
                migrations.CreateModel(
                    name='BatchItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField()),
                        ('answer', models.CharField(blank=True, max_length=20, null=True)),
                        ('active_ms', models.PositiveIntegerField(blank=True, null=True)),
                        ('skip_reason', models.CharField(blank=True, choices=[('unclear', 'I cannot tell what it means'), ('language', 'It is not in the right language'), ('upsetting', 'I would rather not read this'), ('other', 'Another reason')], max_length=10, null=True)),
                        ('lost', models.BooleanField(default=False, help_text='whether somebody else got the seat before this annotator answered')),
                        ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='items', to='validation.assignment')),
                        ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='handed_out', to='validation.label')),
                    ],
                    options={
                        'ordering': ['order'],
                        'constraints': [models.UniqueConstraint(fields=('assignment', 'order'), name='one_item_a_place_in_batch'), models.UniqueConstraint(fields=('assignment', 'seat'), name='one_item_a_seat_in_batch')],
                    },
                ),
                migrations.CreateModel(
                    name='CalibrationItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('digest', models.CharField(editable=False, help_text='of premise and hypothesis', max_length=64)),
                        ('premise', models.TextField()),
                        ('hypothesis', models.TextField()),
                        ('scheme', models.CharField(choices=[('nli3', 'nli3: entailment / neutral / contradiction'), ('entailed2', 'entailed2: entailed / not-entailed'), ('ordinal5', 'ordinal5: 1 / 2 / 3 / 4 / 5'), ('grammar3', 'grammar3: none / minor / major')], max_length=20)),
                        ('label', models.CharField(help_text="the expert's", max_length=20)),
                        ('comment', models.TextField(blank=True, help_text='why the label is right, for researchers')),
                        ('is_open', models.BooleanField(default=True, help_text='whether batches may contain it; its answers stay')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calibration', to='validation.question')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('question', 'digest'), name='calibration_item_known_once'), models.CheckConstraint(condition=models.Q(('label__isnull', True), models.Q(('label__in', ('entailment', 'neutral', 'contradiction')), ('scheme', 'nli3')), models.Q(('label__in', ('entailed', 'not-entailed')), ('scheme', 'entailed2')), models.Q(('label__in', ('1', '2', '3', '4', '5')), ('scheme', 'ordinal5')), models.Q(('label__in', ('none', 'minor', 'major')), ('scheme', 'grammar3')), _connector='OR'), name='calibration_label_fits_scheme'), models.CheckConstraint(condition=models.Q(models.Q(('premise', ''), _negated=True), models.Q(('hypothesis', ''), _negated=True)), name='calibration_item_has_texts')],
                    },
                ),
                migrations.CreateModel(
                    name='CalibrationAnswer',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('order', models.PositiveSmallIntegerField(help_text='its position in the batch')),
                        ('token', models.CharField(default=accounts.models.new_token, editable=False, max_length=22, unique=True)),
                        ('answer', models.CharField(blank=True, max_length=20, null=True)),
                        ('reason', models.TextField(blank=True, help_text="why, in the annotator's words")),
                        ('active_ms', models.PositiveIntegerField(blank=True, null=True)),
                        ('skip_reason', models.CharField(blank=True, choices=[('unclear', 'I cannot tell what it means'), ('language', 'It is not in the right language'), ('upsetting', 'I would rather not read this'), ('other', 'Another reason')], max_length=10, null=True)),
                        ('answered_at', models.DateTimeField(blank=True, null=True)),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='calibration', to='validation.assignment')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='validation.calibrationitem')),
                        ('corrected_at', models.DateTimeField(blank=True, null=True)),
                        ('first_answer', models.CharField(blank=True, help_text='what they answered before they corrected it', max_length=20, null=True)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('annotator', 'item'), name='one_meeting_with_a_calibration_item'), models.CheckConstraint(condition=models.Q(models.Q(('answer', None), ('answered_at', None)), models.Q(('answer__isnull', False), ('answered_at__isnull', False)), _connector='OR'), name='calibration_answer_has_a_time'), models.CheckConstraint(condition=models.Q(('answer', None), ('skip_reason', None), _connector='OR'), name='calibration_answered_or_skipped'), models.CheckConstraint(condition=models.Q(models.Q(('corrected_at', None), ('first_answer', None)), models.Q(('answer__isnull', False), ('corrected_at__isnull', False), ('first_answer__isnull', False)), _connector='OR'), name='calibration_correction_keeps_the_first')],
                    },
                ),
                migrations.CreateModel(
                    name='Gold',
                    fields=[
                        ('pk', models.CompositePrimaryKey('question_id', 'pair_id', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('votes_0', models.IntegerField(db_column='n0')),
                        ('votes_1', models.IntegerField(db_column='n1')),
                        ('votes_2', models.IntegerField(db_column='n2')),
                        ('votes_3', models.IntegerField(db_column='n3')),
                        ('votes_4', models.IntegerField(db_column='n4')),
                        ('votes', models.IntegerField()),
                        ('most', models.IntegerField()),
                        ('seats', models.IntegerField()),
                        ('threshold', models.IntegerField()),
                        ('is_settled', models.BooleanField(db_column='settled')),
                        ('adjudicated', models.CharField(max_length=20, null=True)),
                        ('standing', models.CharField(max_length=20, null=True)),
                        ('voted', models.CharField(max_length=20, null=True)),
                        ('label', models.CharField(max_length=20, null=True)),
                        ('source', models.CharField(max_length=11)),
                        ('note', models.CharField(max_length=30)),
                    ],
                    options={
                        'db_table': 'validation_gold',
                        'managed': False,
                    },
                ),
                migrations.CreateModel(
                    name='Membership',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('status', models.CharField(choices=[('active', 'Active'), ('paused', 'Paused'), ('excluded', 'Excluded')], default='active', max_length=8)),
                        ('before', models.CharField(blank=True, choices=[('active', 'Active'), ('paused', 'Paused'), ('excluded', 'Excluded')], max_length=8)),
                        ('cursor', models.PositiveIntegerField(default=0, help_text='the turn of the last seat claimed')),
                        ('annotator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                        ('exclusion', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='collection.exclusion')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='memberships', to='validation.question')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('question', 'annotator'), name='one_membership_a_question'), models.CheckConstraint(condition=models.Q(('status__in', ['active', 'paused', 'excluded'])), name='membership_status_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('before__in', ['', 'active', 'paused']), ('exclusion__isnull', False), ('status', 'excluded')), models.Q(models.Q(('status', 'excluded'), _negated=True), ('before', ''), ('exclusion', None)), _connector='OR'), name='excluded_member_has_exclusion')],
                    },
                ),
                migrations.CreateModel(
                    name='CachedStatistics',
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
                        ('status', models.CharField(choices=[('requested', 'Requested'), ('working', 'Working'), ('idle', 'nobody waits for them'), ('failed', 'Failed')], default='idle', max_length=9)),
                        ('kind', models.CharField(choices=[('agreement', 'agreement'), ('pairwise', 'kappa of every two annotators'), ('annotators', 'statistics and flags of annotators'), ('models', 'models of reliability'), ('cross', 'answers to a question beside gold labels'), ('bias', 'what hypotheses give away'), ('overview', 'the corpus at a glance'), ('pairs', 'pairs by genre, labels and votes')], max_length=10)),
                        ('by', models.CharField(blank=True, help_text='the dimension of its groups, if it has any', max_length=20)),
                        ('made_at', models.DateTimeField(blank=True, null=True)),
                        ('content', models.TextField(blank=True, help_text="JSON, as text: PostgreSQL's own type loses the order of keys")),
                        ('changes', models.PositiveIntegerField(default=0, help_text='changes of labels that no closed batch shows: imports, withdrawals, exclusions, adjudications')),
                        ('changes_counted', models.PositiveIntegerField(default=0, help_text='`changes` when the last computation began')),
                        ('question', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cached_statistics', to='validation.question')),
                    ],
                    options={
                        'verbose_name_plural': 'cached statistics',
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('status', 'working'), models.Q(('claimed_by', ''), _negated=True), ('heartbeat_at__isnull', False), ('started_at__isnull', False)), models.Q(models.Q(('status', 'working'), _negated=True), ('claimed_by', '')), _connector='OR'), name='figures_is_claimed_while_worked_on'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'failed'), _negated=True), models.Q(('error', ''), _negated=True), _connector='OR'), name='failed_figures_says_why'), models.CheckConstraint(condition=models.Q(('share__gte', 0), ('share__lte', 1)), name='figures_share_is_one'), models.UniqueConstraint(fields=('question', 'kind', 'by'), name='one_row_of_figures_a_kind'), models.CheckConstraint(condition=models.Q(('by', ''), ('kind__in', ['agreement', 'cross', 'bias']), _connector='OR'), name='kind_goes_by_something'), models.CheckConstraint(condition=models.Q(models.Q(('content', ''), ('made_at', None)), models.Q(models.Q(('content', ''), _negated=True), ('made_at__isnull', False)), _connector='OR'), name='figures_have_their_date'), models.CheckConstraint(condition=models.Q(('kind__in', ['agreement', 'pairwise', 'annotators', 'models', 'cross', 'bias', 'overview', 'pairs'])), name='kind_of_figures_is_known')],
                    },
                ),
            ],
        ),
    ]
