"""The exported Flower app in real Flower: `python -m tests.benchmarks.flower [FOLDER]`

An environment of its own is made in FOLDER (by default a new one), with `flwr[simulation]` from PyPI. A
training on digits is exported, and its app run by `flwr run` for three rounds, as it is but for one thing:
around its client mod two others write down what it was given and what it sent. Held against `ldp_core`: per
weight, the variance of the noise and its mean, and how much of it is left in the aggregate; and nothing but
the public budget is sent beside it.
"""

import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np

from ldp_core import aggregators, mechanisms
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from ldp_core.runs.carry.flower_app import FOLDER, as_flower
from tests.benchmarks.machine import described
from tests.browser.server import answers

PACKAGE = "flwr[simulation]==1.41.0"
ROUNDS = 3
PORTS = ("39291", "39293")
OWN = {
    "FLWR_LOCAL_SUPERLINK_HTTP_API_PORT": PORTS[0],
    "FLWR_LOCAL_CONTROL_API_PORT": PORTS[1],
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "OMP_NUM_THREADS": "1",
}
"""Environment of all that is begun, beside a home of its own: what runs beside it stays as it is."""
ATTEMPTS = 4
CHANGES = {"aggregator.name": "data_weighted", "target": "update", "clients.range": 0.1, "clients.epsilon": 4}
VARIANTS = (
    Variant("Piecewise, weights, 1/σ²", {"aggregator.name": "inverse_variance"}),
    Variant("Duchi, changes in ±0.1, by data", {"mechanism.name": "duchi", **CHANGES}),
)
MOST = 4.0
"""Standard errors that a figure may be off: chance alone exceeds that once in 16 000 figures."""
AUDIT = """

def _written(what, message, context, call_next):
    import os, numpy as np
    flat = lambda record: np.concatenate([one.numpy().ravel() for one in record.content["arrays"].values()])
    reply = call_next(message, context)
    number, client = message.content["config"]["server-round"], context.node_config["partition-id"]
    name = f"{context.run_config['variant']}_{what}_{number}_{client}.npz"
    kept = dict(reply.content["metrics"])
    np.savez(os.path.join(@ROOT@, "audit", name), before=flat(message), answers=flat(reply), **kept)
    return reply


def outside(message, context, call_next):
    return _written("sent", message, context, call_next)


def inside(message, context, call_next):
    return _written("given", message, context, call_next)
"""


def main() -> None:
    """Print what was measured; exit 1 where a figure is off."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()).resolve()
    app, place = root / FOLDER / "studio_app", root / "venv" / "bin"
    os.environ |= OWN | {
        "EPSILON_RUNS_DIR": str(root / "runs"),
        "FLWR_HOME": str(root / "flower"),
        "PATH": f"{place}{os.pathsep}{os.environ['PATH']}",
    }
    if not (place / "flwr").exists():
        venv.create(place.parent, with_pip=True)
        subprocess.run([place / "python", "-m", "pip", "install", "-q", PACKAGE], check=True)
    print(f"{described()}; {PACKAGE}")
    draft = Draft(parse({"rounds": ROUNDS, "attack": None}), VARIANTS)
    with ZipFile(io.BytesIO(as_flower(queue.add("run", {"draft": draft.as_json()})))) as archive:
        archive.extractall(root)
    (root / "audit").mkdir(exist_ok=True)
    (app / "audit.py").write_text(AUDIT.replace("@ROOT@", repr(str(root))))
    source = (app / "client_app.py").read_text()
    watched = source.replace("mods=[local_privacy]", "mods=[audit.outside, local_privacy, audit.inside]")
    (app / "client_app.py").write_text(
        watched.replace("import settings, task", "import audit, settings, task")
    )
    runs = json.loads((app / "experiment.json").read_text())["variants"]
    with _superlink(root):
        figures = [one for number, run in enumerate(runs) for one in _measured(root, number, run)]
    for what, off in figures:
        print(f"  {what}: {off:+.2f} standard errors")
    sys.exit(1 if any(abs(off) > MOST for _, off in figures) else 0)


@contextmanager
def _superlink(root: Path) -> Iterator[None]:
    """As `flwr run` would start one and leave it behind: here it ends."""
    command = ["flower-superlink", "--insecure", "--simulation", "--host", "127.0.0.1", "--isolation"]
    command += ["subprocess", "--port", PORTS[0], "--control-api-address", f"127.0.0.1:{PORTS[1]}"]
    command += ["--log-file", str(root / "superlink.log")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answers(f"http://127.0.0.1:{PORTS[0]}/health")
        yield
    finally:
        process.terminate()
        process.wait()


def _measured(root: Path, number: int, run: dict[str, Any]) -> list[tuple[str, float]]:
    """What the figures of one variant are, each with the standard errors that it is off."""
    command = ["flwr", "run", str(root / FOLDER), "--run-config", f"variant={number}", "--stream"]
    command += ["--federation-config", f"num-supernodes={len(run['clients'])}"]
    began = time.perf_counter()
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, capture_output=True, text=True)
        if "timed out during startup" not in done.stdout + done.stderr:  # the machine was too busy for Ray
            break
    reached = re.findall(r"\d+: \{'accuracy': '([^']+)'\}", done.stdout + done.stderr)
    by_round = ", ".join(f"{float(accuracy):.1%}" for accuracy in reached)
    print(f"{run['label']}: {time.perf_counter() - began:.0f} s, accuracy by round {by_round}")
    if len(reached) != ROUNDS + 1:
        sys.exit(done.stdout + done.stderr)
    return _held_against_theory(run, f"{root / 'audit'}/{number}")


def _held_against_theory(run: dict[str, Any], audit: str) -> list[tuple[str, float]]:
    made, weigher = mechanisms.get(**run["mechanism"]), aggregators.get(**run["aggregator"])
    names = {"before", "answers", "epsilon", "low", "high", "num-examples"}
    names -= set() if run["weighs_by_size"] else {"num-examples"}
    excess, noises, left = [], [], []
    for number in range(1, ROUNDS + 1):
        worst, sizes, aggregate, expected = [], [], [], []
        for client, budget in enumerate(run["clients"]):
            given, sent = (np.load(f"{audit}_{what}_{number}_{client}.npz") for what in ("given", "sent"))
            if {*sent} != names:
                sys.exit(f"client {client} has sent {sorted(sent)}")
            ends = [budget[name] for name in ("epsilon", "low", "high")]
            values = given["answers"].astype(np.float64)
            if run["target"] == "update":
                values -= given["before"]
            noise = sent["answers"].astype(np.float64) - np.clip(values, *ends[1:])
            variance = made.variance(values, *ends)
            # in units of each weight's own deviation, so that no client outweighs the others
            noises.append(noise / np.sqrt(variance))
            excess.append(noise**2 / variance - 1)
            worst.append(float(made.at(*ends).max_variance))
            sizes.append(float(given["num-examples"]))
            aggregate.append(noise)
            expected.append(variance)
        weights = weigher.weights(worst, sizes)[:, None]
        total, theory = (weights * aggregate).sum(0), (weights**2 * expected).sum(0)
        found = f"{(total**2).mean():.5f} per weight, {theory.mean():.5f} by theory"
        print(f"  round {number}: noise in the aggregate {found}")
        left.append(total**2 / theory - 1)
    figures = {"variance of clients' noise": excess, "its mean": noises, "variance in the aggregate": left}
    joined = {what: np.concatenate(parts) for what, parts in figures.items()}
    for what, parts in joined.items():
        print(f"  {what}: {len(parts)} weights, off by {parts.mean():+.4f} of its size")
    return [
        (f"{run['label']}, {what}", float(parts.mean() / (parts.std() / np.sqrt(len(parts)))))
        for what, parts in joined.items()
    ]


if __name__ == "__main__":
    main()
