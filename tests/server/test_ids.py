"""S3 and S4: whatever stands in a link or a command, no file is opened for it, and no pickle is run."""

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ldp_core import cli, datasets
from ldp_core.errors import StudioError, UnknownDraft, UnknownJob, UnknownName
from ldp_core.experiment import parse, read_profiles
from ldp_core.presets import get
from ldp_core.runs import jobs, queue
from ldp_core.runs.record import drafts
from tests.datasets import samples
from tests.runs.in_process import queued, record_of

STRANGE = [
    "../../etc/passwd", "..\\..\\windows\\win.ini", "....//....//etc/passwd", "/etc/passwd",
    "//etc/passwd", "\\\\host\\share\\x", "C:\\secret", "file:///etc/passwd", "%2e%2e%2fetc%2fpasswd",
    "%252e%252e%252f", "..%2f..%2fetc", "..%c0%af..%c0%af", "..;/etc/passwd", ".", "..", "~",
    "~root/.ssh/id_rsa", "$HOME", "`id`", "$(id)", "|id", "x;id", "x\nid", "x\0", "0123456789ab\0",
    "0123456789ab\n", "0123456789ab/..", "0123456789ab/../../x", "0123456789ab?x=/etc",
    "0123456789ab#/etc", "0123456789ab;x", "0123456789AB", " 0123456789ab", "0123456789abc",
    "٠١٢٣٤٥٦٧٨٩ab", "' OR 1=1 --", '" OR ""="', "0' UNION SELECT body FROM revisions --", "*", "%", "",
    "studio.sqlite", "jobs", "a" * 10_000, "\ud800", "CON", "link", "pets/", "pets/../pets", "pets\0",
    "-pets", "péts", " pets", "outside",
]  # fmt: skip

watching: list[tuple[Path, list[str]]] = []


def _note(event: str, arguments: Any) -> None:
    """Hooks cannot be taken away again, so this one listens only while a test asks."""
    if watching and event in ("open", "sqlite3.connect", "os.listdir", "os.remove", "shutil.rmtree"):
        root, outside = watching[-1]
        name = str(arguments[0]).removeprefix("file:").partition("?")[0]
        path = Path(name.replace("\0", "")).absolute()
        ours = Path(sys.prefix).parent, Path(sys.base_prefix), Path(__file__).parents[2]
        library = path.suffix in (".py", ".pyc") and any(path.is_relative_to(place) for place in ours)
        if not library and not path.resolve().is_relative_to(root.resolve()):
            outside.append(f"{event} {name[:100]}")


sys.addaudithook(_note)


@pytest.fixture
def outside(runs_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is opened outside the runs folder, which holds a job, a draft, data and a link that leads out."""
    pets = {"cats": 1, "dogs": 1}
    samples.folder(runs_dir, "outside", pets)
    monkeypatch.setenv("EPSILON_DATA_DIR", str(samples.folder(runs_dir / "data", "pets", pets).parent))
    queue.add("run", {"draft": get("two_volunteers").draft.as_json()})
    drafts.share(get("two_volunteers").draft)
    (runs_dir / "jobs").mkdir(exist_ok=True)
    (runs_dir / "jobs" / "link").symlink_to("/etc")
    found: list[str] = []
    watching.append((runs_dir, found))
    yield found
    watching.clear()


def test_audit_hook_hears_opened_files(outside: list[str]):
    Path("/etc/hostname").read_bytes()
    assert outside == ["open /etc/hostname"]


@pytest.mark.parametrize("given", STRANGE, ids=range(len(STRANGE)))
def test_strange_id_is_unknown_and_opens_no_file(outside: list[str], given: str):
    for ask in (queue.get, jobs.look, jobs.status, jobs.cancel, jobs.resume, jobs.pin, jobs.delete):
        with pytest.raises(UnknownJob) as caught:
            ask(given)
        assert len(str(caught.value)) < 200 and "\n" not in str(caught.value)
    assert drafts.load(given) is drafts.snapshot(given) is None
    assert not drafts.undo(given)
    with pytest.raises(UnknownDraft):
        drafts.update(given, lambda draft: draft)
    assert outside == []


@pytest.mark.parametrize("given", STRANGE, ids=range(len(STRANGE)))
def test_names_come_from_registries(outside: list[str], given: str):
    for name in (given, f"images:{given}"):
        with pytest.raises(UnknownName):
            datasets.get(name)
        with pytest.raises(StudioError):
            parse({"dataset": name})
    with pytest.raises(StudioError):
        get(given)
    with pytest.raises(StudioError):
        parse({"model": given})
    assert outside == []


def test_the_command_line_refuses_them_in_a_sentence(outside: list[str], capsys: pytest.CaptureFixture[str]):
    for command in ("status", "cancel", "resume", "pin"):
        for given in (one for one in STRANGE if not one.startswith("-")):
            assert cli.main([command, given]) == 2
            said = capsys.readouterr().err
            assert said.count("\n") == 1 and "Traceback" not in said
    assert outside == []


def test_a_pickle_is_never_run(runs_dir: Path, tmp_path: Path):
    """As profiles, experiment, record of a run, stored request and data set."""
    canary = tmp_path / "canary"

    class Sings:
        def __reduce__(self) -> Any:
            return Path.touch, (canary,)

    poison = pickle.dumps(Sings())
    pickle.loads(poison)
    assert canary.exists()
    canary.unlink()

    with pytest.raises(StudioError):
        read_profiles(poison)
    for name in ("experiment.pkl", "experiment.json", "experiment.pt", "experiment.npy"):
        (tmp_path / name).write_bytes(poison)
        assert cli.main(["run", str(tmp_path / name)]) == 2
    job = queued(get("two_volunteers").draft)
    record_of(job).parent.mkdir(parents=True)
    record_of(job).write_bytes(poison)
    assert jobs.status(job.id)["status"] == "queued"
    queue.move(job.id, "cancelled")
    assert not canary.exists()
