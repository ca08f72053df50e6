"""A process shows that it lives by one file, whoever of it asks, and the files of the dead go."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from ldp_core.runs.storage import holding, presence
from ldp_core.runs.storage.holding import Holder
from tests.conftest import ROOT

pytestmark = pytest.mark.usefixtures("runs_dir")
SHOW = "from ldp_core.runs.storage import presence; print(presence.show().pid, flush=True)"


def test_threads_that_ask_at_once_show_one_process(runs_dir: Path):
    seen: list[Holder] = []
    threads = [threading.Thread(target=lambda: seen.append(presence.show())) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [holding.own()] * 12
    assert len(list((runs_dir / "present").iterdir())) == 1
    assert holding.is_held(presence._path(seen[0]))
    presence.vanish()
    assert list((runs_dir / "present").iterdir()) == []


def test_a_forked_child_is_another_process(runs_dir: Path):
    presence.show()
    if (child := os.fork()) == 0:
        os._exit(0 if presence.show().pid == os.getpid() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    presence.sweep()
    assert len(list((runs_dir / "present").iterdir())) == 1, "that of the child, which is dead, is gone"
    presence.vanish()


def test_somebody_elsewhere_lives_as_long_as_its_file_is_held(runs_dir: Path):
    here = presence.show()
    elsewhere = replace(here, space="another-boot-1")
    assert presence.lives(here)
    assert not presence.lives(elsewhere), "no file of that name is held"
    presence._path(here).rename(presence._path(elsewhere))
    assert presence.lives(elsewhere)
    holding_it = presence._shown.pop(presence._path(here))
    holding_it.close()
    assert not presence.lives(elsewhere)


def test_the_files_of_the_dead_are_swept(runs_dir: Path):
    subprocess.run([sys.executable, "-c", SHOW], cwd=ROOT, check=True, capture_output=True)
    assert len(list((runs_dir / "present").iterdir())) == 1
    presence.sweep()
    assert list((runs_dir / "present").iterdir()) == []


@pytest.mark.parametrize("space", ["../../x", "/etc", "\0", "x" * 500, ""])
def test_a_name_leads_nowhere_else(runs_dir: Path, space: str):
    path = presence._path(Holder(1, 2.0, space))
    assert path.parent == runs_dir.resolve() / "present"
    assert not presence.lives(Holder(1, 2.0, space))
