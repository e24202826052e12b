"""The WSGI application for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

from collection.premises.filters.language import identifier

os.umask(0o077)  # the database and logs are readable by their owner alone
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
application = get_wsgi_application()
identifier()  # loaded here, so that the first writer does not wait for it
