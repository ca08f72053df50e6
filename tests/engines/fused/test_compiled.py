"""Machine code is made once, kept, and made anew where what is kept is no good."""

import shutil
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldp_core import cli, models
from ldp_core.datasets import APP
from ldp_core.engines.fused import compiled as module
from ldp_core.engines.fused import training
from ldp_core.engines.fused.memory import GUARD, ThreadMemory, memory_of
from ldp_core.engines.fused.tile import Tile
from ldp_core.engines.fused.training import scores_fused, train_fused
from ldp_core.errors import StudioError
from ldp_core.models._grammar import ACTIVATIONS
from ldp_core.models.base import Model
from ldp_core.models.chain import layers_of
from ldp_core.models.mlp2 import MLP2
from tests.engines.cases import exact, plan_of, recipe_of, reference, samples_of, start_of
from tests.extent import in_gate

TILES = [Tile(1, 1, 1, 1, 1, 1), Tile(3, 4, 2, 4, 3, 7), Tile(5, 4, 4, 6, 2, 12)]
CNN = recipe_of(models.get("cnn"), (16, 16))
RECIPE = in_gate(recipe_of(models.get("own", layers="conv 5 3, pool 2"), (9, 9)), CNN)
"""In the gate a convolution, a maximum and a linear layer, of which LLVM makes code in half the time."""
LAYERS = layers_of(RECIPE.model, RECIPE.shape, 10)


def trained() -> torch.Tensor:
    data, plan = samples_of(RECIPE, 50), plan_of([30, 20], 8)
    return training.train_fused(RECIPE, start_of(RECIPE), data[0], data[1], plan, 1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, torch.Tensor]:
    """A folder with what was made once, and what was trained with it before it was kept."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        module._compiled.cache_clear()
        weights = trained()
    return folder, weights


@pytest.fixture
def first(made: tuple[Path, torch.Tensor]) -> torch.Tensor:
    return made[1]


@pytest.fixture
def cache(made: tuple[Path, torch.Tensor], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own in which that is kept."""
    shutil.copytree(made[0], tmp_path, dirs_exist_ok=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    module._compiled.cache_clear()
    return tmp_path / APP / "kernels"


def test_cached_kernel_is_used_with_equal_bits(
    cache: Path, first: torch.Tensor, monkeypatch: pytest.MonkeyPatch
):
    (file,) = cache.glob("*.o")
    monkeypatch.setattr(module, "_made", lambda *_: pytest.fail("it was made again"))
    assert torch.equal(trained(), first)
    assert file.stat().st_size < 500_000


def test_a_damaged_file_is_made_anew(cache: Path, first: torch.Tensor):
    (file,) = cache.glob("*.o")
    whole = file.read_bytes()
    flipped = whole[:-1] + bytes([whole[-1] ^ 1])
    for damaged in in_gate((flipped,), (whole[:1000], b"", flipped)):
        file.write_bytes(damaged)
        module._compiled.cache_clear()
        assert torch.equal(trained(), first)
        assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_costs_time_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    module._compiled.cache_clear()
    assert torch.isfinite(trained()).all()


def test_code_that_another_user_could_have_written_is_not_run(
    cache: Path, first: torch.Tensor, monkeypatch: pytest.MonkeyPatch
):
    """Its digest stands in the same file, so a writer of one writes the other."""
    (file,) = cache.glob("*.o")
    made, anew = module._made, []

    def counted(*given: Any) -> bytes:
        anew.append(1)
        return made(*given)

    monkeypatch.setattr(module, "_made", counted)
    for place, mode in ((file, 0o666), (cache, 0o777), (cache.parent, 0o777)):
        before = place.stat().st_mode
        place.chmod(mode)
        module._compiled.cache_clear()
        assert torch.equal(trained(), first)
        place.chmod(before)
    assert len(anew) == 3
    module._compiled.cache_clear()
    trained()
    assert len(anew) == 3, "and it is kept again once it is private"


@pytest.mark.parametrize("tile", in_gate(TILES[1:2], TILES), ids=str)
@pytest.mark.usefixtures("cache")
def test_the_tile_changes_no_bit(first: torch.Tensor, monkeypatch: pytest.MonkeyPatch, tile: Tile):
    """So processors with other registers give the same weights, if they fuse products with sums."""
    monkeypatch.setattr(module, "tile_of", lambda _: tile)
    assert torch.equal(trained(), first)


@pytest.mark.skipif("x86" not in llvm.get_process_triple(), reason="emulates older processors of this kind")
@pytest.mark.parametrize(("cpu", "features"), [("haswell", "+avx2,+fma"), ("x86-64", "")])
def test_older_cpu_with_fma_has_equal_bits(
    cache: Path, first: torch.Tensor, monkeypatch: pytest.MonkeyPatch, cpu: str, features: str
):
    if "+fma" not in module._machine()[1]:
        pytest.skip("this processor cannot pass for a newer one")
    monkeypatch.setattr(module, "_machine", lambda: (cpu, features))
    assert module.has_fma() == bool(features)
    other = trained()
    assert torch.equal(first, other) if features else (first - other).abs().max() < 1e-6
    assert len(list(cache.glob("*.o"))) == 2, "each has code of its own"


def test_kernel_stays_within_its_memory_guards(monkeypatch: pytest.MonkeyPatch):
    """And if it were, it would be said: a guard is broken by hand."""
    trained()
    (work,) = module.compiled(LAYERS, 8, np.dtype(np.float32)).idle
    assert work.intact()
    assert len(work._guards) == 64 * (1 + len(memory_of(LAYERS, 64, 4).sizes))
    for place in work._guards[::37]:
        work._block[place] ^= 1
        assert not work.intact()
        with pytest.raises(StudioError, match="beyond its memory"):
            training._share(*_nothing(work))
        work._block[place] = GUARD
    assert work.intact()


def _nothing(work: ThreadMemory):
    kernel = module.compiled(LAYERS, 8, np.dtype(np.float32))
    kernel.idle = [work]
    return kernel, [], 0, training.StepCounters(1, None)


@pytest.mark.parametrize(
    ("rounds_before", "code", "words"),
    [(0, 2, "the scores of the global model are no numbers"), (1, 1, "diverged at round 1: the scores of")],
)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.usefixtures("cache")
def test_kernel_with_nan_scores_ends_the_run(
    value: float,
    rounds_before: int,
    code: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    sound, asked = training.scores_fused, []

    def broken(*given: Any) -> torch.Tensor:
        asked.append(1)
        return sound(*given) if len(asked) <= rounds_before else torch.full_like(sound(*given), value)

    monkeypatch.setattr("ldp_core.engines.fused.training.scores_fused", broken)
    (tmp_path / "one.json").write_text('{"rounds": 2, "attack": null}')
    assert cli.main(["run", str(tmp_path / "one.json")]) == code
    said = capsys.readouterr()
    assert words in f"{said.out}{said.err}", said.err


KINDS = ((torch.float64, 1e-11), (torch.float32, 1e-4))
"""Of numbers, with how far apart results may be."""
EACH: list[tuple[tuple[torch.dtype, float], ...]] = in_gate([KINDS[:1], KINDS[1:]], [KINDS])
"""In the gate a network meets one of them."""
SLOW = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture)


BENDS = st.sampled_from(ACTIVATIONS)


@st.composite
def networks(draw: st.DrawFn) -> tuple[Model, tuple[int, ...], int]:
    classes = draw(st.integers(2, 40))
    if draw(st.integers(0, 3)) == 0:
        model = MLP2(hidden=draw(st.integers(1, 70)), second=draw(st.integers(1, 40)))
        return model, (draw(st.integers(1, 200)),), classes
    shape = (draw(st.integers(1, 5)), draw(st.integers(3, 30)), draw(st.integers(3, 45)))
    sides, layers = list(shape[1:]), []
    for _ in range(draw(st.integers(1, 3))):
        padding = draw(st.sampled_from([0, 0, 1, 3]))
        size, stride = draw(st.integers(1, min(7, *sides))), draw(st.sampled_from([1, 1, 2, 3]))
        layers.append(
            f"conv {draw(st.integers(1, 22))} {size} stride {stride} padding {padding} {draw(BENDS)}"
        )
        sides = [(side + 2 * padding - size) // stride + 1 for side in sides]
        pool = draw(st.sampled_from([1, 2, 2, 3]))
        if 1 < pool <= min(sides):
            layers.append(f"{draw(st.sampled_from(['pool', 'avg_pool']))} {pool}")
            sides = [side // pool for side in sides]
    layers += [f"dense {draw(st.integers(1, 40))} {draw(BENDS)}" for _ in range(draw(st.integers(0, 2)))]
    return models.get("own", layers=", ".join([*layers, "dense 5 relu"])), shape, classes


@given(
    drawn=networks(),
    sizes=st.lists(st.integers(1, 25), min_size=1, max_size=4),
    batch=st.integers(1, 25),
    seed=st.integers(0, 2**20),
    kinds=st.sampled_from(EACH),
)
@settings(max_examples=in_gate(3, 60), suppress_health_check=SLOW)
def test_any_network_on_any_data(
    drawn: tuple[Model, tuple[int, ...], int], sizes: list[int], batch: int, seed: int, kinds: Any
):
    model, shape, classes = drawn
    recipe = recipe_of(model, shape, classes, rate=0.05)
    for kind, tolerance in kinds:
        data, start = samples_of(recipe, sum(sizes), kind, seed), start_of(recipe, kind, seed)
        plan = plan_of(sizes, batch, 1, seed)
        plan = exact(plan) if kind == torch.float64 else plan
        # into memory where another has diverged before
        train_fused(recipe, start * float("nan"), data[0], data[1], plan, 1)
        trained = train_fused(recipe, start, data[0], data[1], plan, 1)
        expected = reference(recipe, start, data, plan)
        assert (trained - expected).abs().max() < tolerance
        views = {name: view[0] for name, view in model.views(start[None], shape, classes).items()}
        assert (
            scores_fused(recipe, start, data[2], 1) - model.scores(views, data[2])
        ).abs().max() < tolerance
