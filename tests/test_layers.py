"""The structure holds: imports point one way, randomness is keyed, and nothing that was typed can run."""

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from tests.conftest import ROOT

ORDER = """
hints < limits errors < settings < streams images < inference tables < system < fields < plugins
< component < mechanisms selections partitions datasets models optimizers
< aggregators attacks features systems < composition < trust < experiment < accounting
< theory.clients < theory.turnout < theory.server < theory.learnability
< presets < cost < tuning < events < engines < federated < leakage < inspection < door < simulate
< many < pilot < contract < behaviour < papers < runs.storage < runs.lockstep < theory < runs.batch
< runs.cluster < runs.train_all < runs.machine < runs.queue < runs.record < runs.view
< runs.outcomes < runs.claims < runs.kinds < runs.stored_answer < runs.stored_promises
< runs.stored_ladder < runs.process < runs.jobs < runs.carry < runs < lessons < classroom < library
< doctor < commands < cli < __main__ < pages.server < pages.parts < pages.parts.ui
< pages.parts.systems < pages.parts.charts < pages.parts.clients < pages.parts.noise
< pages.parts.runs < pages.parts.train < pages.parts.watch < pages.parts.compare < pages.parts.start
< pages.parts.attack < pages.parts.papers < pages.parts.tune < pages.parts.learn
< pages.parts.classroom < pages.parts.still < pages < app
"""
"""From the bottom, below ldp_core where nothing else is said: a module may import from its own room, and from
any room that stands before a “<” on its left."""
LAYERS = [
    [one if one.startswith(("pages", "app")) else f"ldp_core.{one}" for one in layer.split()]
    for layer in ORDER.split("<")
]
PRODUCT = sorted([*ROOT.glob("ldp_core/**/*.py"), *ROOT.glob("pages/**/*.py"), ROOT / "app.py"])


def module_of(file: Path) -> str:
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@cache
def layer_of(module: str) -> int:
    """The layer of a module; the longest name decides, so that pages.parts is not pages."""
    found = [(len(name), i) for i, layer in enumerate(LAYERS) for name in layer if in_package(module, name)]
    return max(found)[1] if found else -1


def in_package(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


@cache
def imports_of(file: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found += names if all(map(is_module, names)) else [node.module, *names]
    return found


def is_module(name: str) -> bool:
    place = ROOT / name.replace(".", "/")
    return place.is_dir() or place.with_suffix(".py").exists()


def of_each(places: Sequence[Path]) -> Callable[[Callable[[Path], None]], Callable[[], None]]:
    """One test of all of these: each of them being one, they would cost more than what they hold."""

    def of(test: Callable[[Path], None]) -> Callable[[], None]:
        def of_all() -> None:
            wrong = list[str]()
            for place in places:
                try:
                    test(place)
                except AssertionError as error:
                    wrong.append(f"{place.relative_to(ROOT)}: {error}")
            assert not wrong, "\n".join(wrong)

        of_all.__doc__ = test.__doc__
        return of_all

    return of


def test_every_listed_name_is_a_module():
    named = {one for layer in LAYERS for one in layer} | FORBIDDEN.keys()
    assert not [one for one in named if not is_module(one)]


@of_each(PRODUCT)
def test_imports_point_one_way(file: Path):
    module = module_of(file)
    if module == "ldp_core":
        assert imports_of(file) == ["importlib", "typing", "typing.Any"]  # the rest when it is asked for
        return
    own = layer_of(module)
    assert own >= 0, f"{module} is in no layer: add it to the list"
    for name in imports_of(file):
        other = layer_of(name)
        assert other <= own, f"{module} must not import {name}, which lies above it"
        package = next((p for p in LAYERS[own] if in_package(module, p)), "")
        if other == own and not in_package(name, package):
            sibling = next(p for p in LAYERS[own] if in_package(name, p))
            raise AssertionError(f"{module} must not import its sibling {sibling} ({name})")


def test_pages_and_cli_import_only_the_face_of_runs():
    outside = ("pages", "app", "ldp_core.cli", "ldp_core.commands", "ldp_core.__main__")
    used, offered = set[str](), set[str]()
    for file in PRODUCT:
        module = module_of(file)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not in_package(node.module or "", "ldp_core.runs"):
                continue
            names = {alias.asname or alias.name for alias in node.names}
            if module == "ldp_core.runs":
                offered |= names
            elif any(in_package(module, one) for one in outside):
                assert node.module == "ldp_core.runs", f"{module} imports {node.module}"
                used |= names
    assert used == offered


def test_no_two_files_import_each_other():
    """Neither directly nor by others, nor for types alone or inside a function."""
    modules = {module_of(file): file for file in PRODUCT}
    graph = {module: (modules.keys() & imports_of(file)) - {module} for module, file in modules.items()}
    TopologicalSorter(graph).prepare()  # raises where there is a circle


def test_class_name_means_one_thing():
    """Neither another class nor a type alias of the product bears it."""
    classes, aliases = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for file in PRODUCT:
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(module_of(file))
        for one in tree.body:
            targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
            for target in targets:
                if isinstance(target, ast.Name) and target.id[0].isupper():
                    aliases[target.id].append(module_of(file))
    every = {name: [*places, *aliases[name]] for name, places in classes.items()}
    assert not {name: places for name, places in every.items() if len(places) > 1}


FORBIDDEN = {
    "ldp_core": ("streamlit", "pages", "plotly"),
    "pages": ("torch", "torchvision", "sklearn", "sqlite3", "subprocess", "multiprocessing", "scipy.stats"),
    "app": ("torch", "sklearn", "sqlite3", "subprocess"),
    "ldp_core.attacks": ("ldp_core.datasets", "ldp_core.partitions", "ldp_core.federated", "ldp_core.runs"),
    "ldp_core.mechanisms": ("ldp_core.federated", "ldp_core.datasets"),
    "ldp_core.experiment.planning": ("time", "os", "psutil", "ldp_core.system"),  # so attacks are the
    "ldp_core.attacks.shared.beside": ("time", "os", "psutil", "ldp_core.system"),  # same on every machine
    "ldp_core.simulate": ("time", "datetime", "pathlib", "sqlite3", "os"),
}


@of_each(PRODUCT)
def test_forbidden_imports_are_absent(file: Path):
    module = module_of(file)
    for package, names in FORBIDDEN.items():
        if in_package(module, package):
            for imported in imports_of(file):
                assert not any(in_package(imported, name) for name in names), f"{module} imports {imported}"


@of_each(PRODUCT)
def test_randomness_is_keyed(file: Path):
    """No global generators, and no generators but those of ldp_core.streams."""
    text = file.read_text(encoding="utf-8")
    if in_package(module_of(file), "ldp_core.contract"):
        return  # samples that a law is held against, of no run
    for banned in ("manual_seed", "default_rng", "np.random.seed", "torch.Generator(", "import random"):
        assert banned not in text, f"{module_of(file)} has a source of randomness of its own: {banned}"
    calls = [
        node.func.attr
        for node in ast.walk(ast.parse(text if "random" in text else ""))  # few have the word
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Attribute)
        and ast.unparse(node.func.value) == "np.random"
    ]
    assert set(calls) <= ({"Generator", "Philox"} if module_of(file) == "ldp_core.streams" else set())


LIGHT = """
import sys
from pathlib import Path
from ldp_core import accounting, aggregators, attacks, datasets, experiment, mechanisms, models
from ldp_core import partitions, presets, selections, theory
for part in (aggregators, attacks, datasets, mechanisms, models, partitions, presets, selections):
    assert part.names()
from ldp_core.experiment.attack_grid import parse_ladder
base = experiment.parse({})
assert len(datasets.get("digits").load(Path("nowhere")).test_y) == 360
assert attacks.reconstructors() and experiment.plan(base).spies and parse_ladder({}).as_json()
accounting.ledger(base), theory.server_variance(base), presets.get("two_volunteers").draft.runs()
from ldp_core.engines.choice import bits
bits(experiment.parse({"dataset": "mnist", "model": "cnn"}))
models.get("resnet18").dimension((32, 32), 10)
heavy = {"torch", "llvmlite", "sklearn", "torchvision", "scipy.stats", "streamlit", "pandas"}
print(sorted(heavy & set(sys.modules)))
"""


def test_theory_and_registries_import_no_torch():
    found = subprocess.run(
        [sys.executable, "-c", LIGHT], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert found.strip() == "[]"


UNSAFE = {
    r"\bpickle\b": "unpickling runs code",
    r"allow_pickle\s*=\s*True": "so does numpy's",
    r"weights_only\s*=\s*False": "and torch's",
    r"torch\.load\(": "records hold plain bytes, not torch files",
    r"\b(eval|exec)\(": "text is data",
    r"shell\s*=\s*True": "arguments are lists",
    r"yaml\.load\(": "JSON is enough",
    r"unsafe_allow_html": "what people type is shown as it is",
}


@of_each(PRODUCT)
def test_typed_text_is_never_executed(file: Path):
    """S4 and S5 of the reliability reference, held statically."""
    text = file.read_text(encoding="utf-8")
    for pattern, why in UNSAFE.items():
        assert not re.search(pattern, text), f"{module_of(file)}: {why}"
    for call in re.findall(r"st\.html\(([^)]*)\)", text):
        assert call.startswith("ASSETS"), "st.html takes files of our own only"


def test_javascript_writes_text_and_never_markup():
    for file in ROOT.glob("assets/web/*.js"):
        text = file.read_text(encoding="utf-8")
        for markup in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert markup not in text, f"{file.name} uses {markup}"
