"""The site that runs. It wires the wings together; nothing imports it."""

from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from agentcore import hosting
from config.env import BASE_DIR, Environment, trusted_origins

env = Environment()

SECRET_KEY = env.text("SECRET_KEY")
if not SECRET_KEY:
    raise ImproperlyConfigured("Set SECRET_KEY, or run 'make run' once: it writes a private .env file.")
DEBUG = env.flag("DEBUG")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = trusted_origins(ALLOWED_HOSTS)

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    *hosting.APPS,
    "examples.travel",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    *hosting.MIDDLEWARE,
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

CSRF_FAILURE_VIEW = "agentcore.api.errors.csrf_failure"
DEFAULT_EXCEPTION_REPORTER_FILTER = "agentcore.reports.ReportFilter"
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "examples.travel.model_help.model_help",
            ]
        },
    }
]

try:
    DATABASES: dict[str, Any] = {
        "default": dj_database_url.parse(env.text("DATABASE_URL", f"sqlite:///{BASE_DIR / 'db.sqlite3'}"))
    }
except ValueError as error:
    raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}") from error
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"] |= {
        "OPTIONS": hosting.SQLITE_OPTIONS,
        "CONN_MAX_AGE": None,
        # A file, not memory: the tests use the same threads and the same WAL as the site.
        "TEST": {"NAME": str(BASE_DIR / "var" / f"test-{env.text('TEST_DB_NAME', 'steward')}.sqlite3")},
    }
    (BASE_DIR / "var").mkdir(exist_ok=True)
else:
    DATABASES["default"]["OPTIONS"] = DATABASES["default"].get("OPTIONS", {}) | hosting.POSTGRES_OPTIONS
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.text("REDIS_URL")
if REDIS_URL:
    # The layer waits five seconds for a message at a time, and a socket that is as impatient would end the wait first.
    redis_host = {"address": REDIS_URL, "socket_timeout": None}
    CHANNEL_LAYERS = {
        "default": {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": [redis_host]}}
    }
    CACHES: dict[str, Any] = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": REDIS_URL,
            # A server that hangs must not hold up every answer: without a cache there is no breaker, and no more.
            "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
        }
    }
else:
    CHANNEL_LAYERS = hosting.CHANNEL_LAYERS
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.text("TIME_ZONE", "UTC")
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEBUG
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

REST_FRAMEWORK = hosting.REST_FRAMEWORK
SPECTACULAR_SETTINGS = hosting.SPECTACULAR_SETTINGS

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SAMESITE = "Lax"
if not DEBUG:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("BEHIND_PROXY") else None
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = env.flag("SECURE_COOKIES", True)

STEWARD = {
    "RUN_ENGINE": env.text("STEWARD_RUN_ENGINE", "inline"),
    "CREDENTIAL_KEYS": env.words("STEWARD_CREDENTIAL_KEYS"),
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # httpx logs every URL at INFO; an upstream that takes its key in the query would put it in our log.
    "loggers": {
        # One line for each, not two: Django's own handler writes what the root writes, too.
        "django": {"handlers": [], "level": "INFO"},
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
    },
}
