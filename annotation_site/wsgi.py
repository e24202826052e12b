"""The door for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

from collection.premises.filters.language import identifier

os.umask(0o077)  # the database and logs are nobody else's
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotation_site.settings")
application = get_wsgi_application()
identifier()  # here, and not while the first writer waits
