"""All settings of Quintet, read strictly from the environment.

With nothing set, this is the embedded default: SQLite, a broker on the file system, files under `var/`.
Production sets `DATABASE_URL`, `CELERY_BROKER_URL`, `SECRET_KEY`, `ALLOWED_HOSTS` and `DEBUG=False`;
docs/reference/settings.md lists every name.
"""

import json
import os
import re
import secrets
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.urls import reverse_lazy

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()


def env_bool(name: str, default: bool) -> bool:
    """Accepts only True and False: `DEBUG=no` must not quietly mean yes."""
    value = os.environ.get(name, str(default))
    if value not in ("True", "False"):
        raise ImproperlyConfigured(f"{name} must be True or False, not {value!r}.")
    return value == "True"


def env_int(name: str, default: int) -> int:
    """Reads an integer. A name without a value counts as unset, since docker-compose.yml passes unset names on so."""
    value = os.environ.get(name) or str(default)
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None


def openid_providers() -> list[dict[str, Any]]:
    """Reads the providers of OpenID Connect, for django-allauth."""
    text = os.environ.get("OPENID_PROVIDERS") or "[]"
    keys = {"id", "name", "issuer", "client_id", "client_secret"}
    form = f"a JSON list of objects, each with exactly the keys {', '.join(sorted(keys))}, all texts"
    try:
        given = json.loads(text)
    except ValueError:
        raise ImproperlyConfigured(f"OPENID_PROVIDERS is not JSON. It must be {form}.") from None
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise ImproperlyConfigured(f"OPENID_PROVIDERS must be {form}.")
    for number, one in enumerate(given, 1):
        if one.keys() != keys or not all(isinstance(value, str) and value for value in one.values()):
            raise ImproperlyConfigured(f"OPENID_PROVIDERS, number {number}: it must be {form}.")
        if not re.fullmatch(r"[a-z0-9-]+", one["id"]):
            raise ImproperlyConfigured(
                f"OPENID_PROVIDERS, number {number}: id takes a to z, 0 to 9 and hyphens."
            )
        if not re.match(r"https://|http://(localhost|127\.0\.0\.1)[:/]", one["issuer"]):
            raise ImproperlyConfigured(f"OPENID_PROVIDERS, number {number}: issuer must begin with https://.")
    if len({one["id"] for one in given}) < len(given):
        raise ImproperlyConfigured("OPENID_PROVIDERS: two providers have the same id.")
    return [
        {
            "provider_id": one["id"],
            "name": one["name"],
            "client_id": one["client_id"],
            "secret": one["client_secret"],
            "settings": {"server_url": one["issuer"].rstrip("/")},
        }
        for one in given
    ]


def contact() -> str:
    """Reads where people reach the researchers: an e-mail address, or the address of a page."""
    given = os.environ.get("CONTACT", "").strip()
    if given and not re.fullmatch(r"[^@\s:/]+@[^@\s:/]+|https?://\S+", given):
        raise ImproperlyConfigured(
            f"CONTACT must be an e-mail address, or an address that begins with https://, not {given!r}."
        )
    return given


def keep_days() -> dict[str, int]:
    """Reads for how many days kinds of personal data are kept; what is not named is kept for good."""
    names = ("accounts", "platform_ids", "background", "drafts", "request_keys")
    found: dict[str, int] = {}
    for part in filter(None, map(str.strip, os.environ.get("KEEP_DAYS", "").split(","))):
        name, _, days = part.partition("=")
        if name not in names or not days.isascii() or not days.isdigit() or not 1 <= int(days) <= 36_500:
            raise ImproperlyConfigured(
                f"KEEP_DAYS: {part!r} must be a name, =, and a number of days from 1, such as drafts=30. The names:"
                f" {', '.join(names)}."
            )
        found[name] = int(days)
    return found


def recipes_folder(incoming: Path) -> Path | None:
    """Returns the folder of the site's own recipes. They are code, so it must be where only an operator can write."""
    if not (given := os.environ.get("RECIPES_FOLDER")):
        return None
    folder = Path(given).resolve()
    if not folder.is_dir():
        raise ImproperlyConfigured(f"RECIPES_FOLDER is {given}, which is not a folder.")
    if folder.is_relative_to(incoming) or folder.stat().st_mode & 0o002:
        raise ImproperlyConfigured(
            f"RECIPES_FOLDER is {given}, where others can write. Recipes are code that the site runs: use a folder"
            f" that only you can write to, outside {incoming}."
        )
    return folder


def local_secret(path: Path) -> str:
    """Returns a secret made once for this installation, readable by its owner only.

    The file gets its name when it is complete. If it were written in place, the server's second process could read
    it empty, and would then answer every page with an error.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix="secret-key-") as file:
            file.write(secrets.token_urlsafe(50))
            file.flush()
            with suppress(FileExistsError):  # another process of the same start was faster
                os.link(file.name, path)
    return path.read_text()


# The folder for everything that is not code.
VAR = Path(os.environ.get("QUINTET_VAR") or BASE_DIR / "var").resolve()
if not VAR.exists():
    VAR.mkdir(parents=True, mode=0o700)  # it holds password hashes, sessions and platforms' ids
SNAPSHOT_ROOT = VAR / "snapshots"
EXPORT_ROOT = VAR / "exports"  # made from snapshots; can be made again
RUN_ROOT = VAR / "runs"
ANSWERS_SOCKET = VAR / "answers.socket"  # of the program that answers for runs while people write
INCOMING_ROOT = VAR / "incoming"  # files that researchers import by a page
RECIPES_FOLDER = recipes_folder(INCOMING_ROOT)
CACHE_ROOT = VAR / "cache"
# Where a worker that shares no folder with the site fetches snapshots, and with which token.
SITE_URL = os.environ.get("SITE_URL", "").rstrip("/")
SITE_TOKEN = os.environ.get("SITE_TOKEN", "")
# Threads of a training on a processor. With one, a resumed run equals one that never stopped, to the last bit.
TRAINING_THREADS = env_int("TRAINING_THREADS", 1)

DEBUG = env_bool("DEBUG", False)
SECRET_KEY = os.environ.get("SECRET_KEY") or local_secret(VAR / "secret-key")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
HTTPS = env_bool("HTTPS", False)  # behind a proxy that speaks TLS
# How many proxies stand in front and set X-Forwarded-For: the sign-in throttle needs the real address.
TRUSTED_PROXIES = env_int("TRUSTED_PROXIES", 0)

INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "jobs",
    "accounts",
    "collection",
    "validation",
    "snapshots",
    "modeling",
    "annotation_site",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "annotation_site.middleware.answer_headers",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.sign_in.middleware.sign_out_idle_researchers",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.pages.second_factor.require_second_factor",
    "annotation_site.middleware.readers_language",
    "annotation_site.middleware.refuse_nul",
    "annotation_site.middleware.TrailingSlash",
    "accounts.sign_in.middleware.write_down",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotation_site.middleware.Unavailable",
]

ROOT_URLCONF = "annotation_site.urls"
WSGI_APPLICATION = "annotation_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "collection.joining.entry_pages.visit_progress",
            ],
        },
    },
]


def database(url: str) -> dict[str, Any]:
    """Returns what Django is to know about the database at this address."""
    config: dict[str, Any] = env.db_url_config(url)
    if config["ENGINE"] == "django.db.backends.sqlite3":
        Path(config["NAME"]).parent.mkdir(parents=True, exist_ok=True)
        # IMMEDIATE takes the write lock when a transaction begins: without it, transactions that
        # read first and write later end in "database is locked" under load.
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 60,  # SQLite wakes waiters in no order: under load an unlucky one waits long
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            **config.get("OPTIONS", {}),
        }
    if config["ENGINE"] == "django.db.backends.postgresql":
        # plan_cache_mode: statements that shared/prepared_statements.py prepares are planned once, not for every value.
        # jit: PostgreSQL compiles what it expects to be long, and for statements over a whole corpus, of many short
        # expressions, compiling took longer than running them (a freeze, a page of gold labels: up to 2.8 of 2.9 s).
        # What the address sets comes last, and so wins.
        given = config.setdefault("OPTIONS", {})
        ours = "-c plan_cache_mode=force_generic_plan -c jit=off"
        given["options"] = f"{ours} {given.get('options', '')}".strip()
    # A new connection for each request would cost more than most pages; on SQLite its pragmas, too.
    config["CONN_MAX_AGE"] = 60
    config["CONN_HEALTH_CHECKS"] = True
    return config


DATABASES = {"default": database(os.environ.get("DATABASE_URL") or f"sqlite:///{VAR / 'quintet.sqlite3'}")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 3600
# Without a mail server, mails are printed where the site's log goes.
vars().update(env.email_url_config(os.environ.get("EMAIL_URL") or "consolemail://"))
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("MAIL_FROM") or "quintet@localhost"
# Named on pages that tell people to ask the researchers.
CONTACT = contact()
KEEP_DAYS = keep_days()
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "start"
LOGOUT_REDIRECT_URL = "home"
SESSION_COOKIE_AGE = 30 * 24 * 3600
# A researcher who did nothing for so long signs in again; annotators come back to the same device for weeks.
RESEARCHER_IDLE_SECONDS = env_int("RESEARCHER_IDLE_SECONDS", 4 * 3600)
# Signed cookies would spare a query; database sessions can be ended by the operator.
SESSION_ENGINE = "accounts.sign_in.sessions"
AUTHENTICATION_BACKENDS = ["accounts.sign_in.sessions.Backend"]

# The second step of a sign-in, by django-allauth. Its limits are off, because the site's own throttle stands in front.
REQUIRE_SECOND_FACTOR = env_bool("REQUIRE_SECOND_FACTOR", False)
ACCOUNT_ADAPTER = "accounts.pages.second_factor.SignInAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
SOCIALACCOUNT_ADAPTER = "accounts.pages.open_id.OpenIdAdapter"
SOCIALACCOUNT_REQUESTS_TIMEOUT = 10
SOCIALACCOUNT_PROVIDERS = {"openid_connect": {"OAUTH_PKCE_ENABLED": True, "APPS": openid_providers()}}
MFA_ADAPTER = "accounts.sign_in.second_factor.Adapter"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # people have no such addresses here
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_FORMS = {
    "authenticate": "accounts.pages.forms.CodeForm",
    "authenticate_webauthn": "accounts.pages.forms.PasskeyForm",
}
MFA_TOTP_ISSUER = "Quintet"
MFA_TOTP_TOLERANCE = 1  # a phone's clock may be half a minute off

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = env_int("SECURE_HSTS_SECONDS", 365 * 24 * 3600 if HTTPS else 0)
if HTTPS:
    # With this prefix browsers take the cookies from this very host alone, and over TLS.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CSRF_FAILURE_VIEW = "accounts.pages.error_pages.csrf_failure"
FILE_UPLOAD_HANDLERS = ["annotation_site.uploads.RefuseFiles"]

LANGUAGE_CODE = "en"
# Of the pages of people who write and label; the others are in English.
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("es", "Español"),
    ("ar", "العربية"),
    ("ja", "日本語"),
    ("zh-hans", "简体中文"),
]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "annotation_site.formats"
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns of a folder that is not there
# Names with hashes want `collectstatic`; only production runs that.
COLLECTED_STATIC = env_bool("COLLECTED_STATIC", False)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if COLLECTED_STATIC
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = not COLLECTED_STATIC

# Celery: a broker on the file system unless one is named.
CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or "filesystem://localhost"
# A message that Redis hands to a second worker after this time is of no use: the job has a row with a heartbeat, and the
# clock looks for lost jobs. A day, so that a long training gives few of them.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 24 * 3600}
if CELERY_BROKER_URL.startswith("filesystem://"):
    _broker = VAR / "broker"
    for _folder in ("messages", "control"):
        (_broker / _folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS |= {
        "data_folder_in": str(_broker / "messages"),
        "data_folder_out": str(_broker / "messages"),
        "control_folder": str(_broker / "control"),
    }
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_DEFAULT_QUEUE = "general"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = {
    "forget old sign-ins": {"task": "accounts.tasks.forget_old_sign_ins", "schedule": 3600.0},
    "forget old personal data": {"task": "annotation_site.tasks.forget_old_data", "schedule": 3600.0},
    **{
        f"look for jobs of the queue {queue} whose message or worker is lost": {
            "task": "jobs.tasks.sweep",
            "args": (queue,),
            "schedule": 15.0,
        }
        for queue in ("general", "training")
    },
    "count outdated statistics of the workspace again": {
        "task": "validation.tasks.refresh_statistics",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
    "pay for sentences that misled a model": {
        "task": "validation.tasks.pay_bonuses",
        "schedule": 60.0,
        "options": {"expires": 60},
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.rest.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["accounts.rest.parsers.StorableJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "accounts.rest.openapi.Description",
    "EXCEPTION_HANDLER": "accounts.rest.problems.problem_details",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Quintet",
    "DESCRIPTION": "Natural language inference corpora, from the first premise to the trained baseline.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # Requests and responses have schemas of their own: a text that must not be blank has minLength 1 in requests only.
    "COMPONENT_SPLIT_REQUEST": True,
    # Several models have a status of their own, and several fields a partition or a scheme.
    "ENUM_NAME_OVERRIDES": {
        "SnapshotStatus": "snapshots.models.Snapshot.Status",
        "ExportStatus": "snapshots.models.SnapshotExport.Status",
        "Partition": "collection.models.PARTITION_CHOICES",
        "HeldOut": "nli.lines.HELD_OUT",
    },
}

# Limits on failed sign-ins; see accounts/sign_in/throttle.py.
SIGN_IN_WINDOW_SECONDS = env_int("SIGN_IN_WINDOW_SECONDS", 15 * 60)

WRITING_LEASE_SECONDS = env_int("WRITING_LEASE_SECONDS", 30 * 60)
VALIDATION_LEASE_SECONDS = env_int("VALIDATION_LEASE_SECONDS", 15 * 60)
HAND_INS_A_DAY = env_int("HAND_INS_A_DAY", 2)  # by one team; see snapshots/handing_in/actions.py

UNFOLD = {
    "SITE_TITLE": "Quintet",
    "SITE_HEADER": "Quintet",
    "SITE_SUBHEADER": "Corpora of natural language inference",
    "SITE_URL": "/",
    "SITE_SYMBOL": "pentagon",
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("img/quintet.svg")}
    ],
    "SHOW_HISTORY": False,
    "SHOW_VIEW_ON_SITE": False,
    "STYLES": [lambda request: static("css/records.css")],
    "SCRIPTS": [lambda request: static("js/records.js")],
    # The accent of static/css/site.css, in the steps that the theme asks for.
    "COLORS": {
        "primary": {
            "50": "#effaf7",
            "100": "#d7f2ec",
            "200": "#b0e4da",
            "300": "#7fd0c2",
            "400": "#4bb8a7",
            "500": "#27a08f",
            "600": "#0b6a5d",
            "700": "#084f45",
            "800": "#073f38",
            "900": "#06332d",
            "950": "#03201c",
        }
    },
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": True,
        "navigation": [
            {
                "items": [
                    {"title": title, "icon": icon, "link": reverse_lazy(name)}
                    for title, icon, name in (
                        ("Workspace", "dashboard", "admin:index"),
                        ("Records", "database", "records"),
                        ("Corpora", "library_books", "admin:collection_corpus_changelist"),
                        ("Premises", "article", "admin:collection_premise_changelist"),
                        ("Dropped lines", "filter_alt", "admin:collection_droppedline_changelist"),
                        ("Pairs", "compare_arrows", "admin:collection_pair_changelist"),
                        ("Labels", "label", "admin:validation_label_changelist"),
                        ("Problem reports", "report", "admin:collection_problemreport_changelist"),
                        ("People", "group", "admin:accounts_user_changelist"),
                        ("Invitations", "how_to_reg", "admin:accounts_grant_changelist"),
                        ("Exams", "quiz", "admin:collection_examattempt_changelist"),
                        ("Entry links", "login", "admin:collection_entrylink_changelist"),
                        ("Snapshots", "inventory_2", "snapshots"),
                        ("Runs", "model_training", "runs"),
                        ("REST interface", "api", "api-docs"),
                    )
                ]
            }
        ],
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    # Always logged: sign-ins, tokens, downloads, changes by researchers.
    "loggers": {"quintet.security": {"level": "INFO"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
}

TESTING = "pytest" in sys.modules
if TESTING:
    # A slow hash protects real passwords; in tests it would only cost minutes.
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
