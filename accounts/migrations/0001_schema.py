# Written from the models: constraints and indexes stand in their tables, and the tables in one operation.

import accounts.models
import accounts.querysets
import django.contrib.auth.validators
import django.db.models.deletion
import django.utils.timezone
import shared.schema_operations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('accounts', '0001_tables'), ('accounts', '0002_language_of_pages'), ('accounts', '0003_saved_filters')]

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        shared.schema_operations.CreateModels(
            models=[
                migrations.CreateModel(
                    name='User',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('password', models.CharField(max_length=128, verbose_name='password')),
                        ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                        ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                        ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                        ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                        ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                        ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                        ('role', models.CharField(choices=[('annotator', 'Annotator'), ('researcher', 'Researcher'), ('administrator', 'Administrator')], default='annotator', max_length=13)),
                        ('kind', models.CharField(choices=[('person', 'Person'), ('simulated', 'simulated annotator'), ('imported', 'annotator of an imported corpus')], default='person', max_length=9)),
                        ('code', models.CharField(default=accounts.models.new_code, editable=False, max_length=40, unique=True)),
                        ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                        ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
                        ('language', models.CharField(blank=True, editable=False, help_text="of their pages; empty: the browser's", max_length=10)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('role__in', ['annotator', 'researcher', 'administrator'])), name='role_is_known'), models.CheckConstraint(condition=models.Q(('kind__in', ['person', 'simulated', 'imported'])), name='kind_of_user_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('role', 'annotator'), _negated=True), ('is_superuser', False), _connector='OR'), name='annotator_is_no_superuser')],
                    },
                    managers=[
                        ('objects', accounts.querysets.QuintetUserManager()),
                    ],
                ),
                migrations.CreateModel(
                    name='ConsentForm',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('title', models.CharField(max_length=200)),
                        ('text', models.TextField(help_text='Markdown')),
                        ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                    ],
                ),
                migrations.CreateModel(
                    name='Consent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('given_at', models.DateTimeField(auto_now_add=True)),
                        ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to=settings.AUTH_USER_MODEL)),
                        ('form', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='accounts.consentform')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('withdrawn_at', None)), fields=('user', 'form'), name='one_standing_consent_a_form')],
                    },
                ),
                migrations.CreateModel(
                    name='Background',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('age', models.CharField(blank=True, max_length=20)),
                        ('gender', models.CharField(blank=True, max_length=20)),
                        ('first_language', models.CharField(blank=True, max_length=20)),
                        ('education', models.CharField(blank=True, max_length=20)),
                        ('region', models.CharField(blank=True, max_length=20)),
                        ('told_at', models.DateTimeField(auto_now=True)),
                        ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='background', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('age__in', ['', '18-24', '25-34', '35-44', '45-54', '55-64', '65+'])), name='background_age_is_known'), models.CheckConstraint(condition=models.Q(('gender__in', ['', 'woman', 'man', 'another'])), name='background_gender_is_known'), models.CheckConstraint(condition=models.Q(('first_language__in', ['', 'ar', 'bn', 'bg', 'ca', 'zh', 'hr', 'cs', 'da', 'nl', 'en', 'et', 'fi', 'fr', 'de', 'el', 'gu', 'ha', 'he', 'hi', 'hu', 'ig', 'id', 'it', 'ja', 'jv', 'kn', 'ko', 'lv', 'lt', 'ms', 'ml', 'mr', 'no', 'fa', 'pl', 'pt', 'pa', 'ro', 'ru', 'sr', 'sk', 'sl', 'so', 'es', 'sw', 'sv', 'tl', 'ta', 'te', 'th', 'tr', 'uk', 'ur', 'vi', 'yo', 'zu', 'other'])), name='background_first_language_is_known'), models.CheckConstraint(condition=models.Q(('education__in', ['', 'school', 'vocational', 'bachelor', 'graduate'])), name='background_education_is_known'), models.CheckConstraint(condition=models.Q(('region__in', ['', 'africa', 'asia', 'europe', 'latin-america', 'northern-america', 'oceania'])), name='background_region_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='Qualification',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('slug', models.SlugField(max_length=100, unique=True)),
                        ('name', models.CharField(max_length=200)),
                        ('description', models.TextField(blank=True, help_text='Markdown; how people get it')),
                    ],
                ),
                migrations.CreateModel(
                    name='Grant',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('how', models.CharField(choices=[('invitation', 'Invitation'), ('exam', 'Exam'), ('link', 'a link from a platform')], max_length=10)),
                        ('granted_at', models.DateTimeField(auto_now_add=True)),
                        ('revoked_at', models.DateTimeField(blank=True, null=True)),
                        ('revoked_because', models.TextField(blank=True)),
                        ('granted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('revoked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grants', to=settings.AUTH_USER_MODEL)),
                        ('qualification', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='grants', to='accounts.qualification')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('revoked_at', None)), fields=('user', 'qualification'), name='one_standing_grant'), models.CheckConstraint(condition=models.Q(('how__in', ['invitation', 'exam', 'link'])), name='way_of_qualifying_is_known'), models.CheckConstraint(condition=models.Q(models.Q(('revoked_at', None), ('revoked_because', '')), models.Q(('revoked_at__isnull', False), models.Q(('revoked_because', ''), _negated=True)), _connector='OR'), name='grant_revoked_for_a_reason')],
                    },
                ),
                migrations.CreateModel(
                    name='PlatformIdentity',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('platform', models.CharField(max_length=60)),
                        ('participant', models.CharField(max_length=200)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='platform_identities', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'verbose_name_plural': 'platform identities',
                        'constraints': [models.UniqueConstraint(fields=('platform', 'participant'), name='one_person_a_participant')],
                    },
                ),
                migrations.CreateModel(
                    name='Submission',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('key', models.CharField(max_length=100)),
                        ('digest', models.CharField(max_length=64)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='one_submission_a_key')],
                    },
                ),
                migrations.CreateModel(
                    name='SignInAttempt',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('account', models.CharField(max_length=150)),
                        ('address', models.CharField(max_length=45)),
                        ('at', models.DateTimeField(auto_now_add=True)),
                    ],
                    options={
                        'indexes': [models.Index(fields=['account', 'at'], name='attempts_by_account'), models.Index(fields=['address', 'at'], name='attempts_by_address')],
                    },
                ),
                migrations.CreateModel(
                    name='SiteKey',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=30, unique=True)),
                        ('value', models.CharField(default=accounts.models.new_site_key, editable=False, max_length=43)),
                    ],
                ),
                migrations.CreateModel(
                    name='SignedIn',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('session_key', models.CharField(max_length=40, unique=True)),
                        ('address', models.CharField(blank=True, max_length=45)),
                        ('browser', models.CharField(blank=True, max_length=200)),
                        ('at', models.DateTimeField(auto_now_add=True)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='browsers', to=settings.AUTH_USER_MODEL)),
                    ],
                ),
                migrations.CreateModel(
                    name='ApiToken',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.CharField(max_length=100)),
                        ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                        ('scope', models.CharField(choices=[('read', 'only read'), ('work', 'only write and judge'), ('all', 'everything that I may do')], default='all', max_length=4)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('expires_at', models.DateTimeField(blank=True, null=True)),
                        ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.CheckConstraint(condition=models.Q(('scope__in', ['read', 'work', 'all'])), name='token_scope_is_known')],
                    },
                ),
                migrations.CreateModel(
                    name='SavedFilter',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('page', models.CharField(max_length=300)),
                        ('name', models.CharField(max_length=100)),
                        ('query', models.CharField(max_length=2000)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='saved_filters', to=settings.AUTH_USER_MODEL)),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('user', 'page', 'name'), name='one_saved_filter_a_name'), models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('query', ''), _negated=True)), name='saved_filter_says_something')],
                    },
                ),
            ],
        ),
    ]
