"""Exports of jobs of every kind."""

import io
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from ldp_core.runs import carry, kinds
from tests.runs.in_process import trained

Body = dict[str, Any]
Files = dict[str, bytes]
ASKED: dict[str, Body] = {
    "run": {
        "base": {
            "rounds": 2,
            "model": "mlp",
            "attack": {"uploads": "both", "attacker": "per_neuron"},
            "clients": {"count": 3},
        },
        "variants": [
            {"label": "one"},
            {"label": "searched", "set": {"attack": {"attacker": {"name": "cosine_tv", "iterations": 10}}}},
        ],
    },
    "attack": {
        "base": {"model": "mlp"},
        "epsilons": [1, 8],
        "mechanisms": ["duchi", "piecewise"],
        "images": 2,
        "attacker": {"name": "cosine_tv", "iterations": 10},
    },
    "sweep": {"base": {"rounds": 1}, "grid": {"clients.epsilon": [1, 2]}, "seeds": 2},
}
"""What is tried of a kind; of others the smallest that there is."""


@cache
def export_of(kind: str) -> bytes:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("EPSILON_RUNS_DIR", folder)
        job = trained(dict(ASKED.get(kind, kinds.get(kind).smallest)), kind)
        carry.written(job.id, out := Path(folder) / "out.zip")
        return out.read_bytes()


def unzipped(content: bytes) -> Files:
    with ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(files: Files, how: int = ZIP_DEFLATED) -> io.BytesIO:
    out = io.BytesIO()
    with ZipFile(out, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    out.seek(0)
    return out


def with_job(files: Files, **changes: Any) -> Files:
    return files | {"job.json": json.dumps(json.loads(files["job.json"]) | changes).encode()}


def files_of(kind: str = "run") -> Files:
    return unzipped(export_of(kind))
