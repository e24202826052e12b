"""Rejects uploaded files: no page accepts any. Files to import are sent as text, in a field of a form."""

from typing import Any, NoReturn

from django.core.exceptions import SuspiciousMultipartForm
from django.core.files.uploadhandler import FileUploadHandler


class RefuseFiles(FileUploadHandler):
    """Stops a request at the beginning of its first file, so that nothing reaches the disk."""

    def new_file(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise SuspiciousMultipartForm("This site accepts no uploaded files.")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        return None

    def file_complete(self, file_size: int) -> None:
        return None
