"""The embedded broker: kombu's file transport, which writes messages atomically here.

kombu opens a message's file under its final name and then writes it. A worker that reads in between gets an empty
file, loses the message and crashes. Here the file is written under another name and renamed.
"""

import os
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from kombu.exceptions import ChannelError
from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

ABANDONED_AFTER_SECONDS = 600


class Channel(filesystem.Channel):
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        final = Path(self.data_folder_out) / name
        part = final.with_name(f"{name}.part")  # `_get` reads only names that end in ".msg"
        try:
            part.write_text(dumps(payload), encoding="utf-8")
            os.replace(part, final)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise ChannelError(
                f"The broker's folder {final.parent} accepts no message: {error.strerror}."
            ) from error


def remove_abandoned_parts(folder: Path) -> int:
    """Removes half-written messages whose writer was killed, and returns how many there were."""
    removed = 0
    for part in folder.glob("*.msg.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > ABANDONED_AFTER_SECONDS:
                part.unlink()
                removed += 1
    return removed


class Transport(filesystem.Transport):
    Channel = Channel


def install() -> None:
    """Registers this transport for `filesystem://`."""
    TRANSPORT_ALIASES["filesystem"] = f"{__name__}:Transport"
