"""Results of prepared scenarios, shipped in `assets/outcomes` (`python -m ldp_core presets --outcomes`)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from ldp_core import presets
from ldp_core.behaviour import version
from ldp_core.datasets import Report, quiet
from ldp_core.experiment import Draft, Experiment, plan
from ldp_core.experiment.draft import REFERENCE
from ldp_core.limits import spelled
from ldp_core.presets.questions import CompletedRun
from ldp_core.runs.lockstep import drive, one_thread
from ldp_core.runs.view.attack_curve import Tries, success, verdict_on
from ldp_core.runs.view.final_figures import results
from ldp_core.runs.view.run_curves import RunProgress, by_variant, common
from ldp_core.system.json_file import read_json, write_json
from ldp_core.system.shipped import ASSETS

SHIPPED = ASSETS / "outcomes"
DIGITS = 4


@dataclass(frozen=True)
class ScenarioResult:
    """Results of one scenario over all its seeds. Accuracies are shares of held-out samples, in [0, 1]."""

    name: str
    key: str
    """Of the experiments that were trained."""
    version: str
    """Program version that trained the runs (`ldp_core.behaviour`)."""
    date: str
    """YYYY-MM-DD."""
    seconds: float
    """Of all runs together on one core."""
    rounds: int
    seeds: int
    chance: float
    curves: Sequence[Sequence[float]]
    """Mean accuracy over seeds from round 0, for each variant, up to the last common round."""
    diverged: Sequence[int]
    """Numbers of the variants with a diverged run."""
    ends: Sequence[Sequence[float]] = ()
    """Final accuracy of every seed, for each variant."""
    reference: Sequence[float] = ()
    """Mean accuracy by round without noise, if there is such a run."""
    upload: str = ""
    """Kind of upload that the images come from, "audit" or "real"; "" without an attack."""
    client: int = -1
    original: Mapping[str, Any] | None = None
    pictures: Sequence[Mapping[str, Any] | None] = ()
    """Closest reconstruction of each variant's first seed: image, original, psnr, recovered, images, kind."""
    figures: Sequence[Mapping[str, Any]] = ()
    """Of completed runs, as `CompletedRun`."""
    control: float | None = None
    """Accuracy of the scenario's control, if it has one."""

    @property
    def results(self) -> list[CompletedRun]:
        return [CompletedRun(**one) for one in self.figures]

    @cached_property
    def current(self) -> bool:
        """Whether this version of the program measured these results for the scenario as it is now."""
        return {"version": self.version, "key": self.key} == stamp(_experiments(presets.get(self.name).draft))


def _experiments(draft: Draft) -> list[Experiment]:
    return [run.experiment for run in draft.runs(reference=True)]


def stamp(runs: Sequence[Experiment]) -> dict[str, Any]:
    """Version and key that stored results of these runs have while they are current."""
    key = sha256("".join(plan(one).key for one in runs).encode()).hexdigest()[:12]
    return {"version": version(*runs), "key": key}


def stored(name: str, folder: Path = SHIPPED) -> ScenarioResult | None:
    try:
        return ScenarioResult(**read_json(folder / f"{name}.json"))
    except (OSError, ValueError, TypeError):
        return None


def make(names: Sequence[str], folder: Path = SHIPPED, progress: Report = quiet) -> None:
    """Train scenarios and store their results; results that are current are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    one_thread()
    for name in names:
        draft = presets.get(name).draft
        kept = stored(name, folder)
        if kept and kept.current:
            print(f"{name}: of this version already")
            continue
        found = outcome(name, draft, progress)
        write_json(folder / f"{name}.json", asdict(found))
        print(f"{name}: {spelled(round(found.seconds, 1))} s")


def outcome(name: str, draft: Draft, progress: Report = quiet) -> ScenarioResult:
    """Results of a scenario, by training all its runs."""
    runs, experiments = draft.runs(reference=True), _experiments(draft)
    folded = [
        RunProgress(run.variant, run.label, run.experiment.seed, plan(run.experiment).key) for run in runs
    ]
    seconds = 0.0
    for run, into in zip(runs, folded, strict=True):  # pictures of all at once would fill the memory
        for turn in drive({0: run.experiment}, report=progress):
            for event in turn.events:
                into.fold(event)
        seconds += turn.seconds
    found = by_variant(folded)
    clean = found.pop(REFERENCE, [])
    own = [found[variant] for variant in sorted(found)]
    return ScenarioResult(
        name=name,
        **stamp(experiments),
        date=datetime.now(UTC).date().isoformat(),
        seconds=round(seconds, 2),
        rounds=draft.lengths[1],
        seeds=draft.seeds,
        chance=round(float(folded[0].start["chance"]), DIGITS),
        curves=[_curve(each) for each in own],
        ends=[[round(one.curves["accuracy"][-1], DIGITS) for one in each] for each in own],
        diverged=[v for v, each in enumerate(own) if any(one.status == "diverged" for one in each)],
        reference=_curve(clean) if clean else [],
        figures=[_rounded(asdict(one)) for each in own for one in results(each)],
        control=round(measure(), DIGITS) if (measure := presets.get(name).control) else None,
        **_pictures([each[0] for each in own]),
    )


def _rounded(figures: Any) -> Any:
    """Numbers to four significant digits, lists for tuples."""
    if isinstance(figures, Mapping):
        return {name: _rounded(value) for name, value in figures.items()}
    if isinstance(figures, list | tuple):
        return [_rounded(value) for value in figures]
    return float(f"{figures:.{DIGITS}g}") if isinstance(figures, float) else figures


def _curve(runs: Sequence[RunProgress]) -> list[float]:
    return [round(value, DIGITS) for value in common(runs, "accuracy").mean(0).tolist()]


def _pictures(runs: Sequence[RunProgress]) -> dict[str, Any]:
    """Reconstructed images of each variant, for the client whose upload leaked most in any of them."""
    tried = [tries for one in runs for tries in one.tries.values() if tries.closest]
    if not tried:
        return {}
    upload = "real" if any(one.upload == "real" for one in tried) else "audit"
    of_kind = (one for one in tried if one.upload == upload)
    client = max(of_kind, key=lambda one: success(one.closest or {})).client
    return {
        "upload": upload,
        "client": client,
        "original": runs[0].targets[client]["image"] if upload == "audit" else None,
        "pictures": [_picture(one.tries.get((upload, client))) for one in runs],
    }


def _picture(tries: Tries | None) -> dict[str, Any] | None:
    if tries is None or tries.closest is None:
        return None
    event = tries.closest
    found = {
        "image": event["image"],
        "psnr": round(event["psnr"], 2),
        "recovered": event.get("recovered"),
        "images": event.get("images", 1),
        "kind": verdict_on(tries, event).kind,
    }
    if pairs := event.get("pairs"):
        found |= {"image": pairs[0]["image"], "original": pairs[0]["original"]}
    return found
