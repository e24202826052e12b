"""`make env` makes the environment once, or says in a sentence why it cannot."""

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from scripts import environment
from scripts.test import EVERYTHING, chosen

SCRIPTS = settings.BASE_DIR / "scripts"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Makes a checkout in a folder with spaces, without an environment."""
    folder = tmp_path / "a folder with spaces"
    shutil.copytree(SCRIPTS, folder / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(settings.BASE_DIR / name, folder)
    return folder


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def make(folder: Path, *words: str, path: str | None = None) -> "subprocess.CompletedProcess[str]":
    ours = ("PYTHON", "MAKEFLAGS", "MAKELEVEL", "MFLAGS")  # `make test` sets them for us
    env = {key: value for key, value in os.environ.items() if key not in ours}
    env["PATH"] = path or os.environ["PATH"]
    return subprocess.run(["make", *words], cwd=folder, env=env, capture_output=True, text=True)


def old_python(folder: Path) -> Path:
    """Makes a program that responds like Python 3.9: it fails the check for 3.11 and prints its version."""
    text = '#!/bin/sh\ncase "$1" in --version) echo Python 3.9.2;; *) exit 1;; esac\n'
    return program(folder / "bin" / "python3", text)


def finished(folder: Path, extras: str) -> None:
    """Makes the environment of a finished installation: a link to this Python, and the stamp file."""
    (folder / ".venv" / "bin").mkdir(parents=True)
    (folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    code = f"import environment; environment.STAMP.write_text(environment.stamp({extras.split()!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=folder / "scripts", check=True)


def test_what_the_readme_tells_a_user_to_run_is_what_ci_runs() -> None:
    told = re.search(
        r"^    (make test)\b", (settings.BASE_DIR / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert told
    run = (settings.BASE_DIR / ".ci" / "run").read_text(encoding="utf-8")
    assert run.splitlines()[-1] == f"exec {told[1]} </dev/null"
    assert chosen([]) == [*EVERYTHING], "no test is left out"
    assert "not thorough" in chosen(["--quick"])


def test_pip_is_told_that_the_checkout_is_the_installation() -> None:
    done = subprocess.run(
        [sys.executable, "setup.py", "bdist_wheel"], cwd=settings.BASE_DIR, capture_output=True, text=True
    )
    assert done.returncode
    assert "`make demo` or `make env` installs it" in done.stderr


def test_help_is_what_make_alone_prints_and_lists_every_target(checkout: Path) -> None:
    told = make(checkout)
    assert told.returncode == 0
    for target in ("demo", "test", "quick", "lint", "bench", "env", "help", "clean"):
        assert f"make {target}\t" in told.stdout


def test_a_python_that_is_too_old_is_said_with_the_way_out(checkout: Path) -> None:
    python = old_python(checkout)
    told = make(checkout, "env", f"PYTHON={python}")
    assert told.returncode != 0
    assert "Quintet needs Python 3.11 or newer" in told.stderr
    assert "is Python 3.9.2" in told.stderr
    assert "make demo PYTHON=python3.12" in told.stderr


def test_a_machine_without_a_good_python_hears_which_ones_were_seen(checkout: Path) -> None:
    folder = old_python(checkout).parent
    for tool in ("sh", "make", "sed", "env"):
        (folder / tool).symlink_to(str(shutil.which(tool)))
    told = make(checkout, "env", path=str(folder))
    assert told.returncode != 0
    assert "none is on this machine's PATH. python3 is Python 3.9.2." in told.stderr


def test_a_python_that_is_not_there_is_named(checkout: Path) -> None:
    told = make(checkout, "env", "PYTHON=python9.9")
    assert told.returncode != 0
    assert "PYTHON=python9.9 is not a program on this machine." in told.stderr


def test_a_python_without_ensurepip_is_said_with_the_package_to_install(checkout: Path) -> None:
    hidden = checkout / "hidden"
    (hidden / "ensurepip").mkdir(parents=True)
    (hidden / "ensurepip" / "__init__.py").write_text("raise ImportError\n")
    base = Path(sys.base_prefix) / "bin" / "python3"
    python = program(checkout / "bin" / "python3", f'#!/bin/sh\nPYTHONPATH="{hidden}" exec {base} "$@"\n')
    told = make(checkout, "env", f"PYTHON={python}")
    assert told.returncode != 0
    assert f"apt-get install python3.{sys.version_info[1]}-venv" in told.stderr
    assert "Traceback" not in told.stderr


def test_an_environment_that_is_complete_is_left_alone_within_a_second(checkout: Path) -> None:
    finished(checkout, "train dev")
    told = make(checkout, "env")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


def test_compiled_code_is_stored_though_the_machine_is_set_not_to(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    program(checkout / ".venv" / "bin" / "python", '#!/bin/sh\necho "${PYTHONDONTWRITEBYTECODE-unset}: $*"\n')
    assert "unset: -m scripts.lint" in make(checkout, "lint").stdout


def test_a_change_of_the_pins_or_more_extras_ask_for_an_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = tmp_path / "constraints.txt"
    pins.write_text("Django==5.2.19\n")
    monkeypatch.setattr(environment, "SOURCES", (pins,))
    monkeypatch.setattr(environment, "STAMP", tmp_path / "stamp")
    assert not environment.has(["train"])
    environment.STAMP.write_text(environment.stamp(["train", "dev"]))
    assert environment.has(["train"])
    assert environment.has(["dev", "train"])
    environment.STAMP.write_text(environment.stamp(["train"]))
    assert not environment.has(["train", "dev"])
    pins.write_text("Django==5.2.20\n")
    assert not environment.has(["train"])


def test_what_is_asked_for_is_what_the_project_names() -> None:
    plain, training = environment.requirements([]), environment.requirements(["train"])
    assert any(line.startswith("Django") for line in plain)
    assert not any(line.startswith("torch") for line in plain)
    assert any(line.startswith("torch") for line in training)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Downloading torch-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl (190.2 MB)", "torch"),
        ("Downloading torch (181.4MiB)", "torch"),
        ("  Downloading https://host/packages/types_PyYAML-6.0.12-py3-none-any.whl (1.1 MB)", "types_PyYAML"),
    ],
)
def test_downloads_are_shown_by_name_and_size(line: str, name: str) -> None:
    match = environment.DOWNLOADING.search(line)
    assert match is not None
    assert match[1] == name


@pytest.mark.parametrize(
    ("works", "done", "tried"),
    [
        (("uv", "install-uv"), True, ["install-uv", "uv"]),
        (("install-uv", "pip"), True, ["install-uv", "uv", "pip"]),
        (("pip",), True, ["install-uv", "pip"]),
        ((), False, ["install-uv", "pip"]),
    ],
)
def test_pip_steps_in_where_uv_cannot(works, done, tried, tmp_path, monkeypatch, capsys) -> None:
    asked = []

    def run(command: list[str]) -> tuple[bool, list[str]]:
        what = "uv" if command[2] == "uv" else "install-uv" if command[-1] == "uv" else "pip"
        asked.append(what)
        return what in works, ["no room"]

    for name, value in (("run", run), ("VENV", tmp_path), ("LOG", tmp_path / "pip.log")):
        monkeypatch.setattr(environment, name, value)
    monkeypatch.setattr(environment, "settings_of_pip", list)
    monkeypatch.setattr(environment, "wants_cpu_wheels", lambda: False)
    assert environment.install(["Django"]) is done
    assert asked == tried
    assert ("no room" in capsys.readouterr().err) is not done


@pytest.fixture
def pip_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with settings of pip, which alone are read."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    path = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(path))
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    return path


@pytest.mark.thorough
def test_uv_looks_where_pip_is_told_to_look(pip_settings: Path) -> None:
    pip_settings.write_text(
        "[global]\nindex-url = https://one.example/simple\nextra-index-url =\n  https://two.example/simple\n"
        "  https://three.example/simple\ntimeout = 5\n[install]\nfind-links = /wheels\n"
    )
    found = environment.sources_of_pip()
    pairs = list(zip(found[::2], found[1::2], strict=True))
    assert ("--index-url", "https://one.example/simple") in pairs
    assert [value for key, value in pairs if key == "--extra-index-url"][-2:] == [
        "https://two.example/simple",
        "https://three.example/simple",
    ]
    assert ("--find-links", "/wheels") in pairs
    assert "5" not in found


@pytest.mark.thorough
@pytest.mark.parametrize("is_folder", [False, True])
def test_uv_trusts_whom_pip_is_told_to_trust(
    is_folder: bool, pip_settings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    trusted = tmp_path if is_folder else tmp_path / "proxy.pem"
    pip_settings.write_text(f"[global]\ncert = /other.pem\n[install]\ncert = {trusted}\n")
    environment.trust_as_pip_does()
    names = ("SSL_CERT_DIR", "SSL_CERT_FILE") if is_folder else ("SSL_CERT_FILE", "SSL_CERT_DIR")
    found = [os.environ.pop(name, None) for name in names]
    assert found == [str(trusted), None]


@pytest.mark.thorough
def test_certificates_that_are_named_for_all_programs_stay(pip_settings: Path, monkeypatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/of-all.pem")
    pip_settings.write_text("[global]\ncert = /of-pip.pem\n")
    environment.trust_as_pip_does()
    assert os.environ["SSL_CERT_FILE"] == "/of-all.pem"
