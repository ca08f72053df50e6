"""The one door: whatever is foreign, as understood before anything counts."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ldp_core import datasets, models
from ldp_core.accounting.samples import read_samples
from ldp_core.datasets import Dataset, Seen, quiet
from ldp_core.errors import InvalidInput, shown
from ldp_core.experiment import parse, read_json
from ldp_core.inspection.arrays import read_arrays
from ldp_core.inspection.look import look as look_at_upload
from ldp_core.limits import spelled

MOST_BYTES = 2**30
SAMPLES = ".csv", ".tsv"


def look(what: str | Path | Mapping[str, Any]) -> Seen:
    """What is understood of own data by their name, of an upload (.npz), of samples (.csv), or of a network:
    an experiment or its layers, as an object or a file. StudioError: it will not do.
    """
    if isinstance(what, str) and what.startswith(datasets.BROUGHT):
        found = datasets.registry.look(what)
        if not found.kind and not found.seen.open:
            raise InvalidInput(f"{what} {found.refused}")
        datasets.give(found, datasets.data_dir(), quiet)
        return found.seen
    if isinstance(what, Mapping):
        return _network(what)
    file = Path(what)
    try:
        if file.suffix == ".npz":
            card = file.with_suffix(".json")
            known = read_json(card.read_text(encoding="utf-8")) if card.exists() else {}
            return look_at_upload(read_arrays(file), known)
        if file.suffix in SAMPLES:
            return read_samples(file.read_bytes(), MOST_BYTES).seen
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is no network, upload (.npz) or samples (.csv)") from None
    return _network(read_json(text) if text.lstrip()[:1] == "{" else {"layers": text})


def _network(given: Mapping[str, Any]) -> Seen:
    """Layers, or the model of an experiment, on its data set."""
    own = {"model": given} if "layers" in given else dict(given)
    model = own.get("model")
    layers = model.get("layers") if isinstance(model, Mapping) else None
    if layers is None:
        raise InvalidInput(f"has no layers to show; got {shown(model)}")
    source = datasets.get(str(own.get("dataset", "digits")))
    if seen := network(layers, source):
        return seen
    parse({"dataset": source.name, "model": {"layers": layers}})  # which says why
    raise InvalidInput("its layers will not do")


def network(listed: Any, source: Dataset) -> Seen | None:
    """What is understood of a model, or of the layers of one; None where they are refused at their field."""
    try:
        model = listed if isinstance(listed, models.Model) else models.get("own", layers=listed)
    except ValueError:
        return None
    seen, classes = Seen(), source.classes
    asks, ways = model.asks(classes)
    if not asks:
        if model.misfit(source.shape, classes):
            return None
        layers = model.understood(source.shape, classes)
        seen.rows = [["layer", "weights"], *([words, spelled(size)] for words, size in layers)]
        seen.gives.append(f"{spelled(model.dimension(source.shape, classes))} weights on {source.label}")
        seen.notes += filter(None, [model.doubt(classes)])
        return seen
    sizes = [models.get("own", layers=one).dimension(source.shape, classes) for one in ways]
    each = zip(("yes", "no, another follows"), sizes, ways, strict=True)
    seen.ask(asks, *((f"{says}: {spelled(size)} weights", {"layers": one}) for says, size, one in each))
    return seen
