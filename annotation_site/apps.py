from django.apps import AppConfig


class AnnotationSiteConfig(AppConfig):
    name = "annotation_site"

    def ready(self) -> None:
        from annotation_site.operation import settings_checks  # noqa: F401  (importing registers the checks)
