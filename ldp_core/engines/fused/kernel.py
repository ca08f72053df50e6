"""Code generation of a network's kernel: training of some clients, and scoring of samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused import (
    activations,
    convolution,
    dense,
    everywhere,
    loss,
    means,
    moments,
    patches,
    winners,
)
from ldp_core.engines.fused.code import POINTER, SHORT, WHOLE, Code, Number, Value, looped
from ldp_core.engines.fused.memory import (
    LINE,
    Memory,
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

    def __init__(self, layers: Layers, batch: int, number: Number, tile: Tile, adam: bool = False) -> None:
        self.layers, self.number, self.tile, self.adam = layers, number, tile, adam
        self.memory: Memory = memory_of(layers, batch, number.bytes, adam)
        self.batch = batch
        self.module: Any = ir.Module("client")
        self._parts: dict[str, Value] = {}
        for i, conv in enumerate(layers.convs):
            self._convolution(i, conv)
        for i, layer in enumerate(layers.dense):
            self._make("dense", i, dense.forward, layer, tile)
            self._make("update", i, dense.update, layer, tile)
            if layer.activation in ("sigmoid", "tanh"):
                self._make("bend", len(layers.convs) + i, activations.bend, layer.activation, layer.out)
            if i or layers.convs:
                below = layers.dense[i - 1].activation if i else layers.convs[-1].left
                self._make("back", i, dense.backward, layer, tile, below)
        if adam:
            self._parts["forget"] = moments.forget(self.module, number, "forget")
            self._parts["descend"] = moments.descend(self.module, number, "descend")
        self._parts["delta"] = loss.delta(self.module, number, "delta", layers.classes)
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

    def _make(self, name: str, i: int, part: Callable[..., Value], *given: Any) -> None:
        self._parts[f"{name}{i}"] = part(self.module, self.number, f"{name}{i}", *given)

    def _convolution(self, i: int, conv: Conv) -> None:
        convs, tile = self.layers.convs, self.tile
        layout = Layout.planar(*conv.averaged) if i == len(convs) - 1 else Layout.patched(convs[i + 1])
        if f"conv{i}.planes" in self.memory.sizes:
            self._make("planes", i, convolution.planes, conv)
        self._make("conv", i, convolution.forward, conv, tile)
        self._make("pool", i, convolution.pool, conv)
        if conv.activation in ("sigmoid", "tanh"):
            self._make("bend", i, activations.bend, conv.activation, conv.outputs)
        if conv.mean > 1:
            self._make("average", i, means.average, conv)
            self._make("spread", i, means.spread, conv, layout)
            layout = Layout.planar(*conv.pooled)
        back = winners if conv.pool > 1 else everywhere
        self._make("kernels", i, back.kernels, conv, tile, layout)
        if f"conv{i}.patches" in self.memory.sizes:
            self._make("patches", i, patches.channels_last, conv)
        if i:
            self._make("images", i, back.images, conv, tile, layout, convs[i - 1].left)

    def _copy(self, name: str, inwards: bool) -> Value:
        """Generate f(weights, work): copy between the flat vector (d,) and the kernel's layout.

        On the way in, row padding is set to 0: a diverged client may have left NaN there, and 0·NaN is NaN.
        """
        code = Code(self.module, self.number, name, POINTER, POINTER)
        flat, work = code.parameters
        lanes = self.number.lanes

        def move(theirs: Any, place: Value, ours: Any) -> None:
            if inwards:
                code.store(code.load(flat, theirs), place, ours)
            else:
                code.store(code.load(place, ours), flat, theirs)

        for i, conv in enumerate(self.layers.convs):
            place, size = self._at(code, work, f"conv{i}.weight"), conv.size
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
            bias = self._at(code, work, f"conv{i}.bias")
            with code.loop(conv.out) as o:
                move(code.plus(o, conv.bias), bias, o)
        for i, layer in enumerate(self.layers.dense):
            place, bias = (self._at(code, work, f"dense{i}.{part}") for part in ("weight", "bias"))
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
        samples, which, s, work = code.parameters
        features, lanes = self.layers.features, self.number.lanes
        seen = code.at(samples, code.times(which, features))
        place = code.at(self._at(code, work, "x"), code.times(s, up_to(features, lanes)))
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
        batch, work = code.parameters
        with code.loop(batch) as s:
            for i, conv in enumerate(self.layers.convs):
                image, scratch = self._of(code, work, self._before(i), s), self._at(code, work, "scratch")
                weight, bias = (self._at(code, work, f"conv{i}.{part}") for part in ("weight", "bias"))
                if f"planes{i}" in self._parts:
                    seen, image = image, self._at(code, work, f"conv{i}.planes")
                    self._call(code, f"planes{i}", seen, image)
                self._call(code, f"conv{i}", image, weight, bias, scratch)
                out = self._of(code, work, f"conv{i}.out", s)
                self._call(code, f"pool{i}", scratch, out, *self._winners(code, work, i, s))
                if f"bend{i}" in self._parts:
                    self._call(code, f"bend{i}", out)
                if conv.mean > 1:
                    self._call(code, f"average{i}", out, self._of(code, work, f"conv{i}.means", s))
        for i in range(len(self.layers.dense)):
            weight, bias, out = (
                self._at(code, work, f"dense{i}.{part}") for part in ("weight", "bias", "out")
            )
            self._call(code, f"dense{i}", self._below(code, work, i), weight, bias, out, batch)
            bend = f"bend{len(self.layers.convs) + i}"
            if bend in self._parts:
                with code.loop(batch) as s:
                    self._call(code, bend, self._of(code, work, f"dense{i}.out", s))
        return code.end()

    def _step(self) -> Value:
        """Generate f(batch, rate, scale, work): one optimiser step on the batch; only Adam uses the scale."""
        code = Code(self.module, self.number, "step", WHOLE, self.number.type, self.number.type, POINTER)
        batch, rate, scale, work = code.parameters
        self._call(code, "forward", batch, work)
        top = len(self.layers.dense) - 1
        out, delta = (self._at(code, work, f"dense{top}.{part}") for part in ("out", "delta"))
        self._call(code, "delta", out, self._at(code, work, "labels"), delta, batch)
        for i in range(top, -1, -1):
            delta, weight, bias = (self._at(code, work, f"dense{i}.{p}") for p in ("delta", "weight", "bias"))
            below = self._below(code, work, i)
            if i or self.layers.convs:
                into = self._at(code, work, f"dense{i - 1}.delta" if i else "convs.delta")
                self._call(code, f"back{i}", delta, weight, below, into, batch)
            if self.adam:  # the gradient is what a step up from zero by a rate of 1 arrives at
                weight, bias = (self._at(code, work, f"dense{i}.{p}") for p in ("gradient", "bias gradient"))
                self._call(code, f"update{i}", delta, below, weight, bias, batch, code.constant(-1.0))
            else:
                self._call(code, f"update{i}", delta, below, weight, bias, batch, rate)
        with code.loop(batch) as s:
            for i in range(len(self.layers.convs) - 1, -1, -1):
                self._back(code, work, i, s)
        for weights, gradient in weights_of(self.layers):
            if self.adam:
                places = [self._at(code, work, one) for one in (weights, gradient, *moments_of(weights))]
                self._call(code, "descend", *places, code.whole(self._vectors(weights)), rate, scale)
            elif weights.startswith("conv"):
                self._descend(code, work, weights, gradient, rate)
        return code.end()

    def _vectors(self, stretch: str) -> int:
        return up_to(self.memory.sizes[stretch], LINE) // LINE

    def _back(self, code: Code, work: Value, i: int, s: Value) -> None:
        """Backward pass of one sample through convolution i."""
        last = i == len(self.layers.convs) - 1
        delta = (
            self._of(code, work, "convs.delta", s)
            if last
            else self._at(code, work, f"conv{i + 1}.patch delta")
        )
        if f"spread{i}" in self._parts:
            means, delta = delta, self._at(code, work, f"conv{i}.delta")
            self._call(code, f"spread{i}", means, self._of(code, work, f"conv{i}.out", s), delta)
        lists = self._winners(code, work, i, s)
        if lists:
            lists = [self._at(code, work, "list.values"), self._at(code, work, "list.places"), *lists]
        seen = self._of(code, work, self._before(i), s)
        if f"patches{i}" in self._parts:
            image, seen = seen, self._at(code, work, f"conv{i}.patches")
            self._call(code, f"patches{i}", image, seen)
        grown = [self._at(code, work, f"conv{i}.{part}") for part in ("gradient", "bias gradient")]
        self._call(code, f"kernels{i}", delta, seen, *grown, *lists)
        if i:
            weight, into = (self._at(code, work, f"conv{i}.{part}") for part in ("weight", "patch delta"))
            self._call(code, f"images{i}", delta, weight, seen, into, *lists)

    def _descend(self, code: Code, work: Value, weights: str, gradient: str, rate: Value) -> None:
        """Gradient step of SGD; resets the gradient to 0."""
        lanes = self.number.lanes
        place, grown = self._at(code, work, weights), self._at(code, work, gradient)
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
        rows, width, first, last, work, stop, done = rest
        labels = self._at(code, work, "labels")
        with code.loop(last, first) as row:
            self._call(code, "enter", code.at(start, code.times(row, stride)), work)
            for weights, gradient in weights_of(self.layers) if self.adam else ():
                for one in (gradient, *moments_of(weights)):  # what diverged has diverged there
                    place, vectors = self._at(code, work, one), code.whole(self._vectors(one))
                    self._call(code, "forget", place, vectors)
            with code.loop(code.load_as(WHOLE, steps, row)) as t:
                going = code.b.icmp_signed(
                    "==", code.b.load_atomic(stop, "monotonic", 8, typ=WHOLE), code.whole(0)
                )
                with code.when(going):
                    at = code.plus(code.times(t, rows), row)
                    batch = code.load_as(WHOLE, lengths, at)
                    with code.loop(batch) as s:
                        which = code.load_as(WHOLE, samples, code.plus(code.times(at, width), s))
                        self._call(code, "read", x, which, s, work)
                        code.store_as(WHOLE, code.load_as(WHOLE, y, which), labels, s)
                    scale = code.load(scales, t) if self.adam else code.constant(1.0)
                    self._call(code, "step", batch, code.load(rates, t), scale, work)
                    code.store_as(WHOLE, code.b.add(code.load_as(WHOLE, done, 0), code.whole(1)), done, 0)
            self._call(code, "leave", code.at(out, code.times(row, self.layers.dimension)), work)
        code.end()

    def _score(self) -> None:
        """Generate score(weights, x, out, first, last, work): scores (classes) of samples `first` to before
        `last`.
        """
        code = Code(self.module, self.number, "score", *[POINTER] * 3, WHOLE, WHOLE, POINTER, public=True)
        weights, x, out, first, last, work = code.parameters
        classes, top = self.layers.classes, len(self.layers.dense) - 1
        scores = self._at(code, work, f"dense{top}.out")
        self._call(code, "enter", weights, work)
        with code.loop(last, first, self.batch) as at:
            batch = code.least(code.b.sub(last, at), self.batch)
            with code.loop(batch) as s:
                self._call(code, "read", x, code.plus(at, s), s, work)
            self._call(code, "forward", batch, work)
            with code.loop(batch) as s, code.loop(classes) as c:
                value = code.load(scores, code.plus(code.times(s, up_to(classes, self.number.lanes)), c))
                code.store(value, out, code.plus(code.times(code.plus(at, s), classes), c))
        code.end()

    def _call(self, code: Code, name: str, *given: Value) -> None:
        code.b.call(self._parts[name], given)

    def _at(self, code: Code, work: Value, name: str) -> Value:
        """Address of a named section of the workspace."""
        return code.bytes_on(work, self.memory.places[name])

    def _of(self, code: Code, work: Value, name: str, s: Value) -> Value:
        """Address of sample s in a named section of the workspace."""
        each = self.memory.sizes[name] // self.number.bytes // self.batch
        return code.at(self._at(code, work, name), code.times(s, each))

    def _winners(self, code: Code, work: Value, i: int, s: Value) -> list[Value]:
        """Address of the pooling winners of sample s in convolution i, if it pools."""
        conv = self.layers.convs[i]
        if conv.pool == 1:
            return []
        return [code.at(self._at(code, work, f"conv{i}.winners"), code.times(s, conv.outputs), SHORT)]

    def _before(self, i: int) -> str:
        """Name of the section that convolution i reads."""
        part = "means" if i and self.layers.convs[i - 1].mean > 1 else "out"
        return f"conv{i - 1}.{part}" if i else "x"

    def _below(self, code: Code, work: Value, i: int) -> Value:
        if i:
            return self._at(code, work, f"dense{i - 1}.out")
        return self._at(code, work, self._before(len(self.layers.convs)))
