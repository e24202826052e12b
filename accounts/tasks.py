"""Periodic tasks of accounts."""

from celery import shared_task

from accounts.sign_in import browsers


@shared_task
def forget_old_sign_ins() -> None:
    browsers.forget_old_sign_ins()
