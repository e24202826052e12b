"""Periodic tasks of the whole site."""

from celery import shared_task

from annotation_site.personal_data.retention import forget_old


@shared_task
def forget_old_data() -> None:
    forget_old()
