"""The checker as a program and as a command: alone, with the hash that was cited, and on exports."""

import json
import shutil
import subprocess
import sys

import pytest
from django.conf import settings
from django.core.management import call_command

from snapshots.exports.formats import export
from snapshots.files.hashes import file_sha256
from snapshots.verify import main, verify
from tests.made_once import made_once
from tests.snapshots.altered import edit_manifest, findings, of_every_kind, rewrite, seal
from tests.snapshots.material import (
    corpus_of,
    folder,
    freeze,
)

pytestmark = pytest.mark.django_db


snapshot = made_once(of_every_kind)


@pytest.fixture
def copied(snapshot):
    return folder(snapshot)


def test_the_program_needs_no_django(copied):
    program = (
        "import sys; sys.modules['django'] = None\n"
        "from snapshots.verify import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    run = [sys.executable, "-S", "-c", program, str(copied)]
    done = subprocess.run(run, capture_output=True, text=True, cwd=settings.BASE_DIR, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("small@1 is whole: 42 pairs, sha256 ")
    (copied / "dev.jsonl").unlink()
    done = subprocess.run(
        [*run, "--json"], capture_output=True, text=True, cwd=settings.BASE_DIR, check=False
    )
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["ok"] is False
    assert {"file": "dev.jsonl", "line": None, "text": "is missing"} in told["findings"]


def test_the_command_says_the_same(copied, capsys):
    call_command("verify_snapshot", str(copied))
    assert capsys.readouterr().out.startswith("small@1 is whole")
    (copied / "dev.jsonl").unlink()
    with pytest.raises(SystemExit) as stopped:
        call_command("verify_snapshot", str(copied), "--json")
    assert stopped.value.code == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_the_checker_runs_beside_nothing_but_two_folders_of_ours(copied, tmp_path):
    """Runs it as outsiders do: any Python, no package, a folder with snapshots/ and nli/."""
    outside = tmp_path / "outside"
    for name in ("snapshots", "nli"):
        shutil.copytree(settings.BASE_DIR / name, outside / name)
    sha256 = json.loads((copied / "manifest.json").read_bytes())["sha256"]
    run = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(outside)!r})\n{PROGRAM}"]
    done = subprocess.run(
        [*run, str(copied), "--sha256", sha256], capture_output=True, text=True, cwd=outside, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("small@1 is whole: 42 pairs, sha256 ")


PROGRAM = "from snapshots.verify import main; sys.exit(main(sys.argv[1:]))"


def test_a_change_that_fits_in_itself_is_found_by_the_hash_that_was_cited(copied):
    told = json.loads((copied / "manifest.json").read_bytes())
    for cited in (told["sha256"], told["manifest_sha256"]):
        assert verify(copied, cited).ok

    def swap(rows):
        row = next(row for row in rows if len(set(row["annotator_labels"])) > 1)
        row["annotator_labels"][0], row["annotator_labels"][-1] = (
            row["annotator_labels"][-1],
            row["annotator_labels"][0],
        )

    rewrite(copied, "train.jsonl", swap)
    seal(copied)
    assert verify(copied).ok
    (finding,) = verify(copied, told["sha256"]).findings
    assert finding.file == "manifest.json"
    assert f"but {told['sha256']} was expected" in finding.text


def test_a_count_that_nothing_can_recount_is_found_by_the_manifests_hash(copied):
    before = json.loads((copied / "manifest.json").read_bytes())
    other = {"file": "other", "sha256": "", "licence": "", "imported_on": "", "premises": 0, "pairs": 0}
    edit_manifest(copied, lambda told: told.update(provenance=[other]), sealed=True)
    assert verify(copied, before["sha256"]).ok
    assert not verify(copied, before["manifest_sha256"]).ok


def test_what_is_no_hash_is_refused(copied, capsys):
    with pytest.raises(SystemExit):
        main([str(copied), "--sha256", "abc"])
    assert "'abc' is not 64 hexadecimal digits" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["snli_txt", "parquet"])
def test_an_export_is_checked_by_its_own_list(name, tmp_path):
    snapshot, out = freeze(corpus_of(4)), tmp_path / "out"
    export(folder(snapshot), str(snapshot), name, out)
    report = verify(out)
    assert (report.findings, report.snapshot) == ([], f"small@1 as {name}")
    assert verify(out, report.sha256).ok
    path = next(path for path in out.iterdir() if path.stem == "train")
    path.write_bytes(path.read_bytes().replace(b"story", b"glory", 1) + b"\n")
    (out / "extra").write_text("")
    assert findings(out) == [
        "extra: is in the folder, but not listed in export.json",
        f"{path.name}: was changed: its sha256 is {file_sha256(path)}, but another one is listed",
    ]
    path.unlink()
    (out / "extra").unlink()
    assert findings(out) == [f"{path.name}: is missing"]
    listed = json.loads((out / "export.json").read_bytes())
    del listed["files"][path.name]
    (out / "export.json").write_text(json.dumps(listed))
    assert verify(out).ok, "fits in itself"
    assert not verify(out, report.sha256).ok
    (out / "export.json").write_text('{"files": 3}')
    assert findings(out) == ["export.json: 'files' is missing or invalid, so nothing can be checked"]
