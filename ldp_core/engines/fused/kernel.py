"""Code generation of a network's kernel: training of some clients, and scoring of samples."""

from collections.abc import Callable
from functools import partial
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused import activations, convolution, dense, descent, everywhere, patches, winners
from ldp_core.engines.fused.code import POINTER, WHOLE, Code, FloatType, Value, looped
from ldp_core.engines.fused.memory import (
    LINE,
    MemoryLayout,
    memory_of,
    moments_of,
    row_stride,
    up_to,
    weights_of,
)
from ldp_core.engines.fused.patches import Layout
from ldp_core.engines.fused.tile import Tile
from ldp_core.models.chain import Conv, Layers


class Kernel:
    """Generates the LLVM assembly of a network's training step (`text`), with plain SGD or Adam."""

    def __init__(self, layers: Layers, batch: int, number: FloatType, tile: Tile, adam: bool = False) -> None:
        self.layers, self.number, self.tile, self.adam = layers, number, tile, adam
        self.memory: MemoryLayout = memory_of(layers, batch, number.bytes, adam)
        self.batch = batch
        self.module: Any = ir.Module("client")
        self._parts: dict[str, Value] = {}
        for i, conv in enumerate(layers.convs):
            self._convolution(i, conv)
        for i, layer in enumerate(layers.dense):
            self._make(f"dense{i}", dense.forward, layer, tile)
            self._make(f"update{i}", dense.update, layer, tile)
            if layer.activation in ("sigmoid", "tanh"):
                self._make(f"bend dense{i}", activations.bend, layer.activation, layer.out)
            if i or layers.convs:
                below = layers.dense[i - 1].activation if i else layers.convs[-1].left
                self._make(f"back{i}", dense.backward, layer, tile, below)
        if adam:
            self._make("forget", descent.forget)
            self._make("descend", descent.descend)
        self._make("delta", descent.delta, layers.classes)
        self._parts["enter"] = self._copy("enter", inwards=True)
        self._parts["leave"] = self._copy("leave", inwards=False)
        self._parts["read"] = self._read()
        self._parts["forward"] = self._forward()
        self._parts["step"] = self._step()
        self._train()
        self._score()

    @property
    def text(self) -> str:
        return str(self.module)

    def _make(self, name: str, part: Callable[..., Value], *given: Any) -> None:
        self._parts[name] = part(self.module, self.number, name, *given)

    def _convolution(self, i: int, conv: Conv) -> None:
        convs, tile = self.layers.convs, self.tile
        layout = Layout.planar(*conv.averaged) if i == len(convs) - 1 else Layout.patched(convs[i + 1])
        if f"conv{i}.planes" in self.memory.sizes:
            self._make(f"planes{i}", convolution.planes, conv)
        self._make(f"conv{i}", convolution.forward, conv, tile)
        self._make(f"pool{i}", convolution.pool, conv)
        if conv.activation in ("sigmoid", "tanh"):
            self._make(f"bend conv{i}", activations.bend, conv.activation, conv.outputs)
        if conv.mean > 1:
            self._make(f"average{i}", convolution.average, conv)
            self._make(f"spread{i}", convolution.spread, conv, layout)
            layout = Layout.planar(*conv.pooled)
        back = winners if conv.pool > 1 else everywhere
        self._make(f"kernels{i}", back.kernels, conv, tile, layout)
        if f"conv{i}.patches" in self.memory.sizes:
            self._make(f"patches{i}", patches.channels_last, conv)
        if i:
            self._make(f"images{i}", back.images, conv, tile, layout, convs[i - 1].left)

    def _copy(self, name: str, inwards: bool) -> Value:
        """Generate f(weights, work): copy between the flat vector (d,) and the kernel's layout.

        On the way in, row padding is set to 0: a diverged client may have left NaN there, and 0·NaN is NaN.
        """
        code = Code(self.module, self.number, name, POINTER, POINTER)
        flat, code.work = code.parameters
        lanes = self.number.lanes

        def move(theirs: Any, place: Value, ours: Any) -> None:
            if inwards:
                code.store(code.load(flat, theirs), place, ours)
            else:
                code.store(code.load(place, ours), flat, theirs)

        for i, conv in enumerate(self.layers.convs):
            place, size = self._at(code, f"conv{i}.weight"), conv.size
            row = row_stride(size * conv.channels, lanes)
            with code.loop(conv.out) as o, code.loop(conv.channels) as c, code.loop(size) as ky:
                line = code.plus(code.times(o, size), ky)
                block = code.plus(code.times(code.plus(code.times(o, conv.channels), c), size), ky)
                for kx in range(size):
                    theirs = code.plus(code.times(block, size), conv.weight + kx)
                    move(theirs, place, code.plus(code.times(line, row), c, kx * conv.channels))
            if inwards:
                with code.loop(conv.out * size) as line:
                    for beyond in range(conv.channels * size, row):
                        code.store(code.constant(0.0), place, code.plus(code.times(line, row), beyond))
            bias = self._at(code, f"conv{i}.bias")
            with code.loop(conv.out) as o:
                move(code.plus(o, conv.bias), bias, o)
        for i, layer in enumerate(self.layers.dense):
            place, bias = (self._at(code, f"dense{i}.{part}") for part in ("weight", "bias"))
            wide = up_to(layer.inputs, lanes)
            with code.loop(layer.out) as o:
                with code.loop(layer.inputs) as x:
                    theirs = code.plus(code.times(o, layer.inputs), x, layer.weight)
                    move(theirs, place, code.plus(code.times(o, wide), x))
                for beyond in range(layer.inputs, wide) if inwards else ():
                    code.store(code.constant(0.0), place, code.plus(code.times(o, wide), beyond))
                move(code.plus(o, layer.bias), bias, o)
        return code.end()

    def _read(self) -> Value:
        """Generate f(samples, which, s, work): standardise a sample into place s of the batch."""
        code = Code(self.module, self.number, "read", POINTER, WHOLE, WHOLE, POINTER)
        samples, which, s, code.work = code.parameters
        features, lanes = self.layers.features, self.number.lanes
        seen = code.at(samples, code.times(which, features))
        place = self._at(code, "x", s)
        for first, n in looped(code, features, lanes):
            value = code.load(seen, first, n)
            if self.layers.moments:
                mean, deviation = (code.constant(moment, n) for moment in self.layers.moments)
                value = code.b.fdiv(code.b.fsub(value, mean), deviation)
            code.store(value, place, first)
        return code.end()

    def _forward(self) -> Value:
        """Generate f(batch, work): scores of the samples in the batch."""
        code = Code(self.module, self.number, "forward", WHOLE, POINTER)
        batch, code.work = code.parameters
        with code.loop(batch) as s:
            call = partial(self._call, code, s=s)
            for i, conv in enumerate(self.layers.convs):
                image, out = self._below(i), f"conv{i}.out"
                if f"planes{i}" in self._parts:
                    seen, image = image, f"conv{i}.planes"
                    call(f"planes{i}", seen, image)
                call(f"conv{i}", image, f"conv{i}.weight", f"conv{i}.bias", "scratch")
                call(f"pool{i}", "scratch", out, *self._winners(i))
                if f"bend conv{i}" in self._parts:
                    call(f"bend conv{i}", out)
                if conv.mean > 1:
                    call(f"average{i}", out, f"conv{i}.means")
        for i in range(len(self.layers.dense)):
            parts = (f"dense{i}.{part}" for part in ("weight", "bias", "out"))
            self._call(code, f"dense{i}", self._below(i, "dense"), *parts, batch)
            if f"bend dense{i}" in self._parts:
                with code.loop(batch) as s:
                    self._call(code, f"bend dense{i}", f"dense{i}.out", s=s)
        return code.end()

    def _step(self) -> Value:
        """Generate f(batch, rate, scale, work): one optimiser step on the batch; only Adam uses the scale."""
        code = Code(self.module, self.number, "step", WHOLE, self.number.type, self.number.type, POINTER)
        batch, rate, scale, code.work = code.parameters
        self._call(code, "forward", batch, code.work)
        top = len(self.layers.dense) - 1
        self._call(code, "delta", f"dense{top}.out", "labels", f"dense{top}.delta", batch)
        for i in range(top, -1, -1):
            delta, below = f"dense{i}.delta", self._below(i, "dense")
            if f"back{i}" in self._parts:
                into = f"dense{i - 1}.delta" if i else "convs.delta"
                self._call(code, f"back{i}", delta, f"dense{i}.weight", below, into, batch)
            # Adam's gradient is what a step up from zero by a rate of 1 arrives at
            changed = ("gradient", "bias gradient") if self.adam else ("weight", "bias")
            by = code.constant(-1.0) if self.adam else rate
            self._call(code, f"update{i}", delta, below, *(f"dense{i}.{one}" for one in changed), batch, by)
        with code.loop(batch) as s:
            for i in range(len(self.layers.convs) - 1, -1, -1):
                self._back(code, i, s)
        for weights, gradient in weights_of(self.layers):
            if self.adam:
                places = weights, gradient, *moments_of(weights)
                self._call(code, "descend", *places, code.whole(self._vectors(weights)), rate, scale)
            elif weights.startswith("conv"):
                self._descend(code, weights, gradient, rate)
        return code.end()

    def _vectors(self, stretch: str) -> int:
        return up_to(self.memory.sizes[stretch], LINE) // LINE

    def _back(self, code: Code, i: int, s: Value) -> None:
        """Backward pass of one sample through convolution i."""
        call, conv = partial(self._call, code, s=s), f"conv{i}"
        delta = "convs.delta" if i == len(self.layers.convs) - 1 else f"conv{i + 1}.patch delta"
        if f"spread{i}" in self._parts:
            means, delta = delta, f"{conv}.delta"
            call(f"spread{i}", means, f"{conv}.out", delta)
        lists = ["list.values", "list.places", *self._winners(i)] if self._winners(i) else []
        seen = self._below(i)
        if f"patches{i}" in self._parts:
            image, seen = seen, f"{conv}.patches"
            call(f"patches{i}", image, seen)
        call(f"kernels{i}", delta, seen, f"{conv}.gradient", f"{conv}.bias gradient", *lists)
        if i:
            call(f"images{i}", delta, f"{conv}.weight", seen, f"{conv}.patch delta", *lists)

    def _descend(self, code: Code, weights: str, gradient: str, rate: Value) -> None:
        """Gradient step of SGD; resets the gradient to 0."""
        lanes = self.number.lanes
        place, grown = self._at(code, weights), self._at(code, gradient)
        down = code.b.fneg(rate)
        count = self.memory.sizes[weights] // self.number.bytes
        for first, n in looped(code, count, lanes):
            moved = code.fma(code.spread(down, n), code.load(grown, first, n), code.load(place, first, n))
            code.store(moved, place, first)
            code.store(code.constant(0.0, n), grown, first)

    def _train(self) -> None:
        """Generate train(start, start stride, out, x, labels, samples, lengths, steps, rates, scales, rows,
        width, first, last, work, stop, done): rows `first` to before `last` of a plan.
        """
        kinds = [POINTER, WHOLE, *[POINTER] * 8, *[WHOLE] * 4, *[POINTER] * 3]
        code = Code(self.module, self.number, "train", *kinds, public=True)
        start, stride, out, x, y, samples, lengths, steps, rates, scales, *rest = code.parameters
        rows, width, first, last, code.work, stop, done = rest
        labels = self._at(code, "labels")
        with code.loop(last, first) as row:
            self._call(code, "enter", code.at(start, code.times(row, stride)), code.work)
            for weights, gradient in weights_of(self.layers) if self.adam else ():
                for one in (gradient, *moments_of(weights)):  # what diverged has diverged there
                    self._call(code, "forget", one, code.whole(self._vectors(one)))
            with code.loop(code.load_as(WHOLE, steps, row)) as t:
                going = code.b.icmp_signed(
                    "==", code.b.load_atomic(stop, "monotonic", 8, typ=WHOLE), code.whole(0)
                )
                with code.b.if_then(going):
                    at = code.plus(code.times(t, rows), row)
                    batch = code.load_as(WHOLE, lengths, at)
                    with code.loop(batch) as s:
                        which = code.load_as(WHOLE, samples, code.plus(code.times(at, width), s))
                        self._call(code, "read", x, which, s, code.work)
                        code.store_as(WHOLE, code.load_as(WHOLE, y, which), labels, s)
                    scale = code.load(scales, t) if self.adam else code.constant(1.0)
                    self._call(code, "step", batch, code.load(rates, t), scale, code.work)
                    code.store_as(WHOLE, code.b.add(code.load_as(WHOLE, done, 0), code.whole(1)), done, 0)
            self._call(code, "leave", code.at(out, code.times(row, self.layers.dimension)), code.work)
        code.end()

    def _score(self) -> None:
        """Generate score(weights, x, out, first, last, work): scores of samples `first` to before `last`."""
        code = Code(self.module, self.number, "score", *[POINTER] * 3, WHOLE, WHOLE, POINTER, public=True)
        weights, x, out, first, last, code.work = code.parameters
        classes, top = self.layers.classes, len(self.layers.dense) - 1
        self._call(code, "enter", weights, code.work)
        with code.loop(last, first, self.batch) as at:
            batch = code.least(code.b.sub(last, at), self.batch)
            with code.loop(batch) as s:
                self._call(code, "read", x, code.plus(at, s), s, code.work)
            self._call(code, "forward", batch, code.work)
            with code.loop(batch) as s, code.loop(classes) as c:
                value = code.load(self._at(code, f"dense{top}.out", s), c)
                code.store(value, out, code.plus(code.times(code.plus(at, s), classes), c))
        code.end()

    def _call(self, code: Code, name: str, *given: Any, s: Value = None) -> None:
        """Call of a part, with addresses of sections in place of their names; those of sample s, if given."""
        places = (self._at(code, one, s) if isinstance(one, str) else one for one in given)
        code.b.call(self._parts[name], [*places])

    def _at(self, code: Code, name: str, s: Value = None) -> Value:
        """Address of a section of the workspace, or of sample s in a section for a batch."""
        place = code.bytes_on(code.work, self.memory.places[name])
        if s is None or name not in self.memory.each:
            return place
        return code.bytes_on(place, code.times(s, self.memory.each[name]))

    def _winners(self, i: int) -> list[str]:
        """Name of the section with the winners of convolution i, if it has maxima."""
        return [name for name in (f"conv{i}.winners",) if name in self.memory.sizes]

    def _below(self, i: int, kind: str = "conv") -> str:
        """Name of the section that a layer reads."""
        if kind == "dense":
            return f"dense{i - 1}.out" if i else self._below(len(self.layers.convs))
        part = "means" if i and self.layers.convs[i - 1].mean > 1 else "out"
        return f"conv{i - 1}.{part}" if i else "x"
