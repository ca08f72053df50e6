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
from urllib.request import urlopen
from zipfile import ZipFile

import numpy as np

from ldp_core import aggregators, mechanisms
from ldp_core.experiment import Draft, Variant, parse
from ldp_core.runs import queue
from ldp_core.runs.carry.flower_app import FOLDER, as_flower
from tests.benchmarks.machine import described

PACKAGE = "flwr[simulation]==1.41.0"
ROUNDS = 3
PORTS = ("39291", "39293")
START_SECONDS = 120.0
ATTEMPTS = 4
VARIANTS = (
    Variant("Piecewise, weights, 1/σ²", {"aggregator.name": "inverse_variance"}),
    Variant(
        "Duchi, changes in ±0.1, by data",
        {
            "mechanism.name": "duchi",
            "aggregator.name": "data_weighted",
            "target": "update",
            "clients.range": 0.1,
            "clients.epsilon": 4,
        },
    ),
)
MOST = 4.0
"""Standard errors that a figure may be off: chance alone exceeds that once in 16 000 figures."""
AUDIT = """

def _written(what, message, context, call_next):
    import os, numpy as np
    reply = call_next(message, context)
    sent = message.content["arrays"]
    kept = {name: array.numpy() for name, array in reply.content["arrays"].items()}
    kept |= {f"before_{name}": array.numpy() for name, array in sent.items()}
    kept |= {f"told_{name}": value for name, value in reply.content["metrics"].items()}
    number, client = message.content["config"]["server-round"], context.node_config["partition-id"]
    np.savez(os.path.join(@OUT@, f"{what}_{number}_{client}.npz"), **kept)
    return reply


def outside(message, context, call_next):
    return _written("sent", message, context, call_next)


def inside(message, context, call_next):
    return _written("given", message, context, call_next)
"""


def main() -> None:
    """Print what was measured; exit 1 where a figure is off."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    root.mkdir(parents=True, exist_ok=True)
    os.environ["EPSILON_RUNS_DIR"] = str(root / "runs")
    place = root / "venv"
    if not (place / "bin" / "flwr").exists():
        venv.create(place, with_pip=True)
        subprocess.run([place / "bin" / "python", "-m", "pip", "install", "-q", PACKAGE], check=True)
    print(f"{described()}; {PACKAGE}")
    draft = Draft(parse({"rounds": ROUNDS, "attack": None}), VARIANTS)
    with ZipFile(io.BytesIO(as_flower(queue.add("run", {"draft": draft.as_json()})))) as archive:
        archive.extractall(root)
    with _superlink(root, place):
        figures = [one for number in range(len(VARIANTS)) for one in _measured(root, place, number)]
    for what, off in figures:
        print(f"  {what}: {off:+.2f} standard errors")
    sys.exit(1 if any(abs(off) > MOST for _, off in figures) else 0)


def _measured(root: Path, place: Path, number: int) -> list[tuple[str, float]]:
    """What the figures of one variant are, each with the standard errors that it is off."""
    app, out = root / FOLDER, root / f"audit {number}"
    out.mkdir(exist_ok=True)
    for one in out.iterdir():
        one.unlink()
    run = json.loads((app / "studio_app" / "experiment.json").read_text())["variants"][number]
    source = app / "studio_app" / "client_app.py"
    as_it_is = source.read_text()
    (app / "studio_app" / "audit.py").write_text(AUDIT.replace("@OUT@", repr(str(out))))
    watched = as_it_is.replace("mods=[local_privacy]", "mods=[audit.outside, local_privacy, audit.inside]")
    source.write_text(watched.replace("import settings, task", "import audit, settings, task"))
    began = time.perf_counter()
    try:
        said = _run(app, place, root, number, len(run["clients"]))
    finally:
        source.write_text(as_it_is)
    seconds = time.perf_counter() - began
    reached = re.findall(r"\d+: \{'accuracy': '([^']+)'\}", said)
    by_round = ", ".join(f"{float(accuracy):.1%}" for accuracy in reached)
    print(f"{run['label']}: {seconds:.0f} s, accuracy by round {by_round}")
    if len(reached) != ROUNDS + 1:
        sys.exit(said)
    return _held_against_theory(run, out)


def _environment(root: Path, place: Path) -> dict[str, str]:
    """With a home and ports of its own: what runs beside it stays as it is."""
    return {
        **os.environ,
        "FLWR_HOME": str(root / "flower"),
        "FLWR_LOCAL_SUPERLINK_HTTP_API_PORT": PORTS[0],
        "FLWR_LOCAL_CONTROL_API_PORT": PORTS[1],
        "FLWR_TELEMETRY_ENABLED": "0",
        "FLWR_DISABLE_UPDATE_CHECK": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "OMP_NUM_THREADS": "1",
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }


@contextmanager
def _superlink(root: Path, place: Path) -> Iterator[None]:
    """As `flwr run` would start one and leave it behind: here it ends."""
    command = [str(place / "bin" / "flower-superlink"), "--insecure", "--simulation", "--host", "127.0.0.1"]
    command += ["--isolation", "subprocess", "--port", PORTS[0]]
    command += ["--control-api-address", f"127.0.0.1:{PORTS[1]}", "--log-file", str(root / "superlink.log")]
    out = subprocess.DEVNULL
    process = subprocess.Popen(command, env=_environment(root, place), stdout=out, stderr=out)
    try:
        until = time.monotonic() + START_SECONDS
        while not _answers(f"http://127.0.0.1:{PORTS[0]}/health"):
            if process.poll() is not None or time.monotonic() > until:
                sys.exit("flower-superlink does not start")
            time.sleep(0.5)
        yield
    finally:
        process.terminate()
        process.wait()


def _answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=5):
            return True
    except OSError:
        return False


def _run(app: Path, place: Path, root: Path, number: int, clients: int) -> str:
    """What `flwr run` says; once more where Ray says that the machine was too busy for it to start."""
    said = ""
    for _ in range(ATTEMPTS):
        said = _once(app, place, root, number, clients)
        if "timed out during startup" not in said:
            break
    return said


def _once(app: Path, place: Path, root: Path, number: int, clients: int) -> str:
    asked = ["--federation-config", f"num-supernodes={clients}", "--run-config", f"variant={number}"]
    done = subprocess.run(
        [str(place / "bin" / "flwr"), "run", str(app), *asked, "--stream"],
        env=_environment(root, place),
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


def _held_against_theory(run: dict[str, Any], out: Path) -> list[tuple[str, float]]:
    made, weigher = mechanisms.get(**run["mechanism"]), aggregators.get(**run["aggregator"])
    excess, noises, left = [], [], []
    for number in range(1, ROUNDS + 1):
        files = [np.load(out / f"sent_{number}_{client}.npz") for client in range(len(run["clients"]))]
        worst, sizes, aggregate, expected = [], [], [], []
        for client, sent in enumerate(files):
            given = np.load(out / f"given_{number}_{client}.npz")
            names = [name for name in given if not name.startswith(("before_", "told_"))]
            result = {name.removeprefix("told_") for name in sent if name.startswith("told_")}
            by_data = run["weighs_by_size"]
            if result != {"epsilon", "low", "high"} | ({"num-examples"} if by_data else set()):
                sys.exit(f"client {client} has sent {sorted(result)}")
            budget = [run["clients"][client][name] for name in ("epsilon", "low", "high")]
            values = np.concatenate([given[name].ravel() for name in names]).astype(np.float64)
            if run["target"] == "update":
                values -= np.concatenate([given[f"before_{name}"].ravel() for name in names])
            answers = np.concatenate([sent[name].ravel() for name in names]).astype(np.float64)
            noise = answers - np.clip(values, *budget[1:])
            variance = made.variance(values, *budget)
            # in units of each weight's own deviation, so that no client outweighs the others
            noises.append(noise / np.sqrt(variance))
            excess.append(noise**2 / variance - 1)
            worst.append(float(made.at(*budget).max_variance))
            sizes.append(float(given["told_num-examples"]))
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
