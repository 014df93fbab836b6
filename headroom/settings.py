"""Settings, from environment variables read strictly (`headroom.env`).

HEADROOM_MODE is `local` (default: loopback, SQLite, mail on the console), `production` (asks for
everything that must not be guessed) or `test`. `docs/operating.md` lists the variables.
"""

import os
from pathlib import Path

from celery.schedules import crontab
from csp.constants import NONCE, NONE, SELF

from headroom import local_secret, payments, redis_server, services
from headroom.env import REQUIRED, Env
from telemetry import logs, scrub

BASE_DIR = Path(__file__).resolve().parent.parent
env = Env(os.environ)

HEADROOM_MODE = env.choice("HEADROOM_MODE", ("local", "production", "test"), "local")
LOCAL, PRODUCTION, TEST = (mode == HEADROOM_MODE for mode in ("local", "production", "test"))
DEBUG = LOCAL and env.flag("HEADROOM_DEBUG", False)
DATA_DIR = Path(env.text("HEADROOM_DATA", str(BASE_DIR / "var"))).absolute()
if LOCAL:
    DATA_DIR.mkdir(parents=True, exist_ok=True)

if PRODUCTION:
    SECRET_KEY = env.text("SECRET_KEY", secret=True, least=50)
else:
    SECRET_KEY = env.text("SECRET_KEY", None, secret=True, least=32) or (
        local_secret.kept_in(DATA_DIR) if LOCAL else "t" * 50
    )
LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS", REQUIRED if PRODUCTION else LOOPBACK)
# How many reverse proxies of ours stand in front: with none, X-Forwarded-* from the outside means nothing.
TRUSTED_PROXIES = env.integer("TRUSTED_PROXIES", 0, low=0, high=9)

INSTALLED_APPS = [
    "accounts",
    "billing",
    "courses",
    "labs",
    "practice",
    "notes",
    "discussion",
    "search",
    "headroom.apps.HeadroomConfig",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.socialaccount.providers.google",
]
MIDDLEWARE = [
    "headroom.middleware.observe",
    "headroom.middleware.bounded",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.middleware.in_their_timezone",
]
ROOT_URLCONF = "headroom.urls"
WSGI_APPLICATION = "headroom.wsgi.application"
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
                "csp.context_processors.nonce",
            ],
        },
    },
]

# Data
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
_database_url = env.url("DATABASE_URL", services.DATABASE_SCHEMES, REQUIRED if PRODUCTION else None)
DATABASES = {
    "default": services.database(_database_url) if _database_url else services.sqlite(DATA_DIR / "headroom.sqlite3")
}
REDIS_URL = env.url("REDIS_URL", services.REDIS_SCHEMES, REQUIRED if PRODUCTION else redis_server.local_url(DATA_DIR))
CACHES = {
    "default": {
        "BACKEND": "headroom.cache.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},
    }
}

# The queue: a hint that there is work; the database says what the work is (labs/submitting.py).
CELERY_BROKER_URL = services.broker(REDIS_URL)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "short"
# Acknowledged when taken: a task whose worker dies is found again by the sweep, not redelivered by the broker.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A pool process imports torch before it says that it is there.
CELERY_WORKER_PROC_ALIVE_TIMEOUT = 120
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 3600, "socket_connect_timeout": 5}
# A web request that cannot reach the queue gives up quickly; the sweep enqueues the row later.
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1}
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat")
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "labs.tasks.sweep", "schedule": 5.0, "options": {"queue": "short", "expires": 5}},
    "discussion": {"task": "discussion.tasks.upkeep", "schedule": 120.0, "options": {"queue": "short", "expires": 120}},
    "retention": {
        "task": "accounts.tasks.forget_what_is_due",
        "schedule": crontab(hour=3, minute=41),
        "options": {"queue": "short", "expires": 3600},
    },
    "subscriptions": {
        "task": "billing.tasks.compare_with_provider",
        "schedule": crontab(hour=3, minute=17),
        "options": {"queue": "short", "expires": 3600},
    },
}

# People
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}", "OPTIONS": options}
    for name, options in (
        ("UserAttributeSimilarityValidator", {"user_attributes": ("email", "display_name")}),
        ("MinimumLengthValidator", {"min_length": 10}),
        ("CommonPasswordValidator", {}),
        ("NumericPasswordValidator", {}),
    )
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "courses:home"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
# On someone's own machine the mail goes to the terminal: they are let in at once and may confirm later.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if PRODUCTION else "optional"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_FORMS = {"add_email": "accounts.forms.ChangeEmailForm"}
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_LOGOUT_REDIRECT_URL = "courses:home"
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if PRODUCTION else "http"
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES
# Before what could cost someone their account: its address, second factors, sessions elsewhere, export, deletion.
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Headroom"
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION
# Signing in with another site: offered for those whose keys are here. An address known to us is never taken over by it.
SOCIALACCOUNT_PROVIDERS = services.sign_in_providers(env)
SOCIALACCOUNT_ADAPTER = "accounts.adapters.ProviderAdapter"
# Selling premium: off (None) without the provider's keys.
PAYMENTS = payments.read(env)
PAYMENT_GRACE = payments.grace(env)
SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
# Where links in mails lead.
SITE_URL = env.url("SITE_URL", ("https", "http"), None) or (
    f"https://{ALLOWED_HOSTS[0].lstrip('.')}"
    if PRODUCTION
    else f"http://127.0.0.1:{os.environ.get('HEADROOM_PORT') or 8000}"
)
DEFAULT_FROM_EMAIL = env.text("MAIL_FROM", REQUIRED if PRODUCTION else "Headroom <headroom@localhost>")
SECURITY_CONTACT = services.security_contact(env, DEFAULT_FROM_EMAIL)
_mail_url = env.url("MAIL_URL", services.MAIL_SCHEMES, REQUIRED if PRODUCTION else None)
if _mail_url:
    globals().update(services.mail(_mail_url))
else:
    EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

# What a browser may do with our pages
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "object-src": [NONE],
        "base-uri": [SELF],
        "frame-ancestors": [NONE],
        # A form's answer may lead on to these: a browser asks here about each step.
        "form-action": [
            SELF,
            *services.sign_in_hosts(SOCIALACCOUNT_PROVIDERS),
            *(PAYMENTS.hosts if PAYMENTS else ()),
        ],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = PRODUCTION
if PRODUCTION:
    SECURE_HSTS_SECONDS = env.integer("HSTS_SECONDS", 31_536_000, low=0, high=63_072_000)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = env.flag("HSTS_SUBDOMAINS", True)
    # An orchestrator asks over plain HTTP from inside.
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    if TRUSTED_PROXIES:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# A request's body, with the files in it: larger ones are refused before they are read (headroom.middleware.bounded).
LARGEST_BODY = DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 2**20

# Styles and browser code, built and committed under assets/build
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "static-root"
STATICFILES_DIRS = [BASE_DIR / "assets" / "build"]
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not PRODUCTION
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

# What the processes say of themselves
scrub.know({**os.environ, "SECRET_KEY": SECRET_KEY})
# Sums of all processes are kept in Redis; a test keeps its own.
TALLY_URL = None if TEST else REDIS_URL
# Who brings it may read /metrics; without it, staff alone.
METRICS_TOKEN = env.text("METRICS_TOKEN", "", secret=True, least=20)
# Spans and reports of faults leave the site only where it is said to whom.
OTEL_ENDPOINT = env.url("OTEL_EXPORTER_OTLP_ENDPOINT", ("http", "https"), None)
SENTRY_DSN = env.url("SENTRY_DSN", ("http", "https"), None)
LOG_LEVEL = env.choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"), "INFO")
LOG_FORMAT = env.choice("LOG_FORMAT", ("json", "text"), "json" if PRODUCTION else "text")
LOGGING = logs.config(LOG_LEVEL, json=LOG_FORMAT == "json")

COURSES_LABS = "headroom.wiring.lab_titles"
PRACTICE_LABS = "headroom.wiring.lab_work"
