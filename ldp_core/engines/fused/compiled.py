"""Machine code of kernels, compiled by LLVM in about a second and cached on disk.

The cache key is a digest of this package's source, the network, llvmlite's version, the processor and its
features. A cache file that cannot be written, is damaged, or could have been written by other users is
ignored.
"""

import ctypes
import hashlib
import logging
import threading
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np
from platformdirs import user_cache_path

from ldp_core.datasets import APP
from ldp_core.engines.fused.code import FloatType
from ldp_core.engines.fused.kernel import Kernel
from ldp_core.engines.fused.memory import LEAST_BATCH, MemoryLayout, ThreadMemory, memory_of
from ldp_core.engines.fused.tile import Tile, tile_of
from ldp_core.models.base import Model, Shape
from ldp_core.models.chain import Layers, layers_of
from ldp_core.system import private_files

DIGEST = 32
"""Length in bytes of the content's digest at the beginning of a cache file."""
_lock = threading.Lock()


class Compiled:
    """Compiled functions of a kernel, with unused workspaces."""

    def __init__(self, engine: Any, memory: MemoryLayout, batch: int) -> None:
        self._engine = engine  # the code lives as long as it does
        self.memory = memory
        self.batch = batch
        self.idle: list[ThreadMemory] = []
        """Unused workspaces."""
        p, n = ctypes.c_void_p, ctypes.c_int64
        self.train = _function(engine, "train", p, n, *[p] * 8, *[n] * 4, *[p] * 3)
        self.score = _function(engine, "score", *[p] * 3, n, n, p)


def compiled(layers: Layers, batch: int, dtype: np.dtype[Any], adam: bool = False) -> Compiled:
    """Kernel of a network for batches of up to `batch` samples, float32 or float64."""
    room = LEAST_BATCH
    while room < batch:
        room *= 2
    with _lock:
        number = FloatType(dtype.itemsize, fused=has_fma())
        return _compiled(layers, room, number, tile_of(_machine()[1]), adam)


@lru_cache(maxsize=16)
def _compiled(layers: Layers, batch: int, number: FloatType, tile: Tile, adam: bool) -> Compiled:
    cpu, features = _machine()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(cpu=cpu, features=features, opt=3, jit=True)
    identity = f"{layers} {batch} {number} {tile} {adam} {cpu} {features} {llvmlite.__version__} {_source()}"
    file = folder() / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.o"
    made = _kept(file)
    if made is None:
        made = _made(Kernel(layers, batch, number, tile, adam).text, machine)
        private_files.write(file, hashlib.sha256(made).digest() + made)
    backing = llvm.parse_assembly("")
    engine = llvm.create_mcjit_compiler(backing, machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(made))
    engine.finalize_object()
    return Compiled(engine, memory_of(layers, batch, number.bytes, adam), batch)


@lru_cache(maxsize=64)
def failure(model: Model, shape: Shape, classes: int, adam: bool = False) -> str:
    """Why the kernel of a model cannot be compiled here; "" if it can (and then it is)."""
    try:
        compiled(layers_of(model, shape, classes), 1, np.dtype(np.float32), adam)
    except Exception as error:
        logging.warning("no fused kernel for %s: %s: %s", model.name, type(error).__name__, error)
        return f"LLVM could not make it ({type(error).__name__})"
    return ""


def has_fma() -> bool:
    """True if the processor has fused multiply-add: all such processors give the same bits."""
    features = f",{_machine()[1]},"
    return (
        ",+fma," in features or "aarch64" in llvm.get_process_triple() or "arm64" in llvm.get_process_triple()
    )


def folder() -> Path:
    """Folder of compiled kernels."""
    return user_cache_path(APP) / "kernels"


@cache
def _machine() -> tuple[str, str]:
    """Processor name and features."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _made(text: str, machine: Any) -> bytes:
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    # loops are written as unrolled vectors: all other passes only take time, most of a second for a CNN
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return bytes(machine.emit_object(module))


def _kept(file: Path) -> bytes | None:
    data = private_files.read(file) or b""
    content = data[DIGEST:]
    return content if hashlib.sha256(content).digest() == data[:DIGEST] else None


@cache
def _source() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _function(engine: Any, name: str, *kinds: Any) -> Callable[..., None]:
    """Function called without Python's global interpreter lock."""
    return ctypes.CFUNCTYPE(None, *kinds)(engine.get_function_address(name))
