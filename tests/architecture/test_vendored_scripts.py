"""Vendored scripts are identical to the files of the packages that they name, and have their licences."""

import hashlib
from pathlib import Path

VENDOR = Path(__file__).parents[2] / "static" / "vendor"


def test_each_copied_file_is_as_it_was_published() -> None:
    lines = (line.split("  ", 1) for line in (VENDOR / "SHA256SUMS").read_text().splitlines())
    sums = {name: digest for digest, name in lines}
    files = {path.relative_to(VENDOR).as_posix() for path in VENDOR.glob("*/*")}
    assert files == set(sums), "a file without a checksum, or a checksum without a file"
    for name, digest in sums.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name


def test_each_package_has_its_licence_and_says_its_version() -> None:
    for folder in (path for path in VENDOR.iterdir() if path.is_dir()):
        assert "Permission to use, copy, modify" in (folder / "LICENSE").read_text()
        version = folder.name.rpartition("-")[2]
        (script,) = folder.glob("*.js")
        assert f"v{version}" in script.read_text()[:200] or f"@{version}" in script.read_text()[:200], (
            folder.name
        )
