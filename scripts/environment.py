"""Creates or updates the environment in .venv/: `python scripts/environment.py train dev`.

Runs with the standard library alone, in the repository's root. A stamp in .venv/ remembers from what the
environment was made, so that a second call only reads two files.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
import tomllib
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "quintet-stamp"
LOG = VENV / "pip.log"
SOURCES = (ROOT / "pyproject.toml", ROOT / "constraints.txt")
# pip's way of saying it, and uv's.
DOWNLOADING = re.compile(r"Downloading (?:\S*/)?([^/\s]+?)(?:-\d\S*)? \(([\d.]+ ?[MG]i?B)\)")
CPU_WHEELS = "https://download.pytorch.org/whl/cpu"


def main(extras: list[str]) -> int:
    if has(extras):
        return 0
    os.chdir(ROOT)
    make_folder()
    pins = requirements(extras)
    began = time.monotonic()
    print(
        "Installing what Quintet needs into .venv/, once (about two GB on disk; on Linux PyTorch with CUDA makes it more:"
        " docs/how-to/install.md says how to spare that) ...",
        flush=True,
    )
    if not install(pins):
        return 1
    STAMP.write_text(stamp(extras))
    print(f"Installed in {time.monotonic() - began:.0f} s.", flush=True)
    return 0


def stamp(extras: list[str]) -> str:
    """Returns the stamp. First line: a digest of the environment's sources; second line: its extras."""
    digest = hashlib.sha256()
    for path in SOURCES:
        digest.update(path.read_bytes())
    return f"{digest.hexdigest()}\n{' '.join(sorted(extras))}\n"


def has(extras: list[str]) -> bool:
    """Returns whether the environment was made from these files, with at least these extras."""
    if not STAMP.exists() or not PYTHON.exists():
        return False
    found, wanted = STAMP.read_text().splitlines(), stamp(extras).splitlines()
    return found[0] == wanted[0] and set(wanted[1].split()) <= set(found[1].split())


def make_folder() -> None:
    if sys.prefix != sys.base_prefix and Path(sys.prefix).resolve() == VENV:
        return
    chosen = bool(os.environ.get("PYTHON"))
    if works(PYTHON) and not (chosen and version_of(PYTHON) != sys.version_info[:2]):
        return
    try:
        import ensurepip  # noqa: F401  (Debian splits it off, and then venv fails half-way)
        import venv
    except ImportError:
        sys.exit(
            "This Python has no venv module with pip. On Debian and Ubuntu:"
            f" apt-get install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
            " (as root), then the same command again."
        )
    name = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
    print(f"Making the environment in .venv/ with {name} ...", flush=True)
    venv.EnvBuilder(clear=VENV.exists(), with_pip=True, symlinks=True).create(VENV)


def works(python: Path) -> bool:
    return (
        python.exists()
        and subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0
    )


def version_of(python: Path) -> tuple[int, ...]:
    line = "import sys; print(*sys.version_info[:2])"
    return tuple(int(part) for part in subprocess.check_output([python, "-c", line], text=True).split())


def requirements(extras: list[str]) -> list[str]:
    """Returns the requirements in pyproject.toml. Quintet itself runs from its folder and is never installed."""
    project = tomllib.loads(SOURCES[0].read_text())["project"]
    return project["dependencies"] + [
        line for extra in extras for line in project["optional-dependencies"][extra]
    ]


def install(pins: list[str]) -> bool:
    """Installs with uv, and where that fails with pip. Returns False when both failed.

    uv is faster, but it reads neither pip's configuration files nor its variables, and not every machine has a wheel of it.
    """
    wanted = VENV / "requirements.txt"
    wanted.write_text("\n".join(pins) + "\n")
    LOG.write_text("")
    trust_as_pip_does()
    what = ["-r", str(wanted), "-c", str(SOURCES[1])]
    if "torch" in " ".join(pins) and wants_cpu_wheels():
        what += ["--extra-index-url", CPU_WHEELS]
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    uv = [str(PYTHON), "-m", "uv", "pip", "install", "--python", str(PYTHON)]
    # pip takes the best version of all indexes; uv by itself the first index that knows the name.
    uv += ["--index-strategy", "unsafe-best-match", *sources_of_pip()]
    quiet = ["--quiet", "--progress-bar", "off"]
    if run([*pip, *quiet, "-c", str(SOURCES[1]), "uv"])[0] and run([*uv, *what])[0]:
        return True
    print("  uv failed (.venv/pip.log says why); trying pip.", flush=True)
    done, lines = run([*pip, "--progress-bar", "off", *what])
    if not done:
        print("\n".join(lines[-12:]), file=sys.stderr)
        print(
            "The installation failed. pip's error is above, all of its output in .venv/pip.log. Correct the cause"
            " (often the network, a proxy, or a full disk) and run the same command again.",
            file=sys.stderr,
        )
    return done


def wants_cpu_wheels() -> bool:
    """Returns whether PyTorch without CUDA fits this machine, and its index can be reached. It is gigabytes smaller."""
    if sys.platform != "linux" or Path("/proc/driver/nvidia").exists():
        return False
    try:
        with urllib.request.urlopen(f"{CPU_WHEELS}/torch/", timeout=5):
            return True
    except (OSError, ValueError):
        return False


def settings_of_pip() -> list[tuple[str, str, str]]:
    """Returns pip's settings as (where it is set, key, value)."""
    told = subprocess.run([PYTHON, "-m", "pip", "config", "list"], capture_output=True, text=True).stdout
    return re.findall(r"^(\S*?)\.?([a-z-]+)='(.*)'$", told.replace("\\n", " "), re.MULTILINE)


def sources_of_pip() -> list[str]:
    """Returns the package sources of pip's settings, as options of uv."""
    found = []
    for _, key, value in settings_of_pip():
        if key in ("index-url", "extra-index-url", "find-links"):
            for each in value.split():
                found += [f"--{key}", each]
    return found


def trust_as_pip_does() -> None:
    """Lets uv, and this process, trust the certificates that pip's settings name, such as those of a proxy."""
    named = {where: value for where, key, value in settings_of_pip() if key == "cert"}
    for where in (":env:", "install", "global"):  # of several pip takes the first of these
        if where in named:
            is_folder = Path(named[where]).is_dir()
            os.environ.setdefault("SSL_CERT_DIR" if is_folder else "SSL_CERT_FILE", named[where])
            return


def run(command: list[str]) -> tuple[bool, list[str]]:
    """Runs a command, shows only what it downloads, and adds all of it to .venv/pip.log. Returns its lines, too."""
    lines: list[str] = []
    with LOG.open("a") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            lines.append(line.rstrip())
            if match := DOWNLOADING.search(line):
                print(f"  {match[1]} ({match[2]})", flush=True)
    return process.wait() == 0, lines


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("Stopped before the environment was complete. The same command goes on from there.")
