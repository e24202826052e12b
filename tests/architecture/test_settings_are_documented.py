"""The reference lists every name that the settings read, and no other."""

import re

from django.conf import settings

READ = re.compile(
    r"""(?:env_bool|env_int|env\.list|env\.db_url|env\.email_url|os\.environ\.get)\(\s*"([A-Z_]+)\""""
)


def test_the_reference_lists_exactly_the_names_that_are_read() -> None:
    source = (settings.BASE_DIR / "annotation_site" / "settings.py").read_text()
    reference = (settings.BASE_DIR / "docs" / "reference" / "settings.md").read_text()
    documented = re.findall(r"^\| `([A-Z_]+)`", reference, flags=re.MULTILINE)
    assert sorted(documented) == sorted(set(READ.findall(source)))
