import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.e2e.conformance.settings")

application = get_wsgi_application()
