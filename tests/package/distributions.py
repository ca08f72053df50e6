"""Two distributions as others would make them, of examples of the guide: a mechanism with a density, and data
that are no pictures; under names of their own, as the guide's may be parts of the program.
"""

from pathlib import Path

from tests.guide import EXAMPLES

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "{version}"

[project.entry-points."ldp_core.{group}"]
{part} = "{module}:{kind}"

[tool.hatch.build.targets.wheel]
only-include = ["{module}.py"]
"""

MECHANISM = EXAMPLES["ldp_core/mechanisms/square_wave.py"].replace("Square wave", "Moving window")
MECHANISM = MECHANISM.replace("SquareWave", "MovingWindow")
DATASET = EXAMPLES["ldp_core/datasets/breast_cancer.py"].replace("Breast cancer", "Tumours")
DATASET = DATASET.replace("BreastCancer", "Tumours")


def project(folder: Path, group: str, part: str, kind: str, code: str, version: str = "1.0") -> Path:
    """A folder that is one: a module with one part."""
    module = f"{part}_of_a_test"
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    name = module.replace("_", "-")
    text = PROJECT.format(name=name, version=version, group=group, part=part, module=module, kind=kind)
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return folder
