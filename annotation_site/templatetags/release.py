"""`{% release_checklist snapshot as items %}`: what a release of the snapshot needs, and what of it is done."""

from django import template

from annotation_site.workspace.release import release_checklist

register = template.Library()
register.simple_tag(release_checklist)
