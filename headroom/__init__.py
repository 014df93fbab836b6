"""The Django project: settings, addresses, the Celery app, and what `make up` runs."""
