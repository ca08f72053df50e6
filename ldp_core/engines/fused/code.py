"""Thin layer over LLVM's instructions: loops, vectors and memory, for generating layers.

All vectors have 64 bytes, whatever the processor; LLVM splits them where its registers are shorter. So the
order of every sum, and with it every bit, is the same on all processors with fused multiply-add. No
instruction may be reordered.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from ldp_core.engines.fused.memory import LINE, chunks

Value = Any
"""An LLVM value; llvmlite has no type annotations."""
WHOLE, SHORT, POINTER = ir.IntType(64), ir.IntType(32), ir.PointerType()


@dataclass(frozen=True)
class FloatType:
    """Floating-point type of a kernel, and whether multiply-add is fused."""

    bytes: int
    fused: bool = True
    """Whether the processor has fused multiply-add."""

    @property
    def type(self) -> Value:
        return ir.FloatType() if self.bytes == 4 else ir.DoubleType()

    @property
    def lanes(self) -> int:
        """Numbers per 64-byte vector."""
        return LINE // self.bytes


vector: Any = ir.VectorType


class Code:
    """A function under construction.

    Indices count numbers, not bytes; they are Python integers or 64-bit LLVM integers.
    """

    def __init__(
        self, module: Value, number: FloatType, name: str, *parameters: Value, public: bool = False
    ) -> None:
        self.module, self.number = module, number
        kind = ir.FunctionType(ir.VoidType(), parameters)
        self.function = ir.Function(module, kind, name)
        self.function.attributes.add("nounwind")
        if not public:
            self.function.linkage = "internal"
        self.parameters: Sequence[Value] = self.function.args
        self.work: Value = None
        """Address of the workspace, where the function has that."""
        entry = self.function.append_basic_block("entry")
        body = self.function.append_basic_block("body")
        self._cells = ir.IRBuilder(entry)
        self._leave = self._cells.branch(body)
        self.b = ir.IRBuilder(body)

    def end(self) -> Value:
        self.b.ret_void()
        return self.function

    # whole numbers

    def whole(self, value: Any) -> Value:
        return ir.Constant(WHOLE, value) if isinstance(value, int) else value

    def plus(self, *terms: Any) -> Value:
        """Sum; Python integers are folded at generation time."""
        known = sum(term for term in terms if isinstance(term, int))
        found: Any = None
        for term in terms:
            if not isinstance(term, int):
                found = term if found is None else self.b.add(found, term)
        if found is None:
            return known
        return self.b.add(found, self.whole(known)) if known else found

    def times(self, a: Any, b: Any) -> Value:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        return self.b.mul(self.whole(a), self.whole(b))

    def least(self, a: Any, b: Any) -> Value:
        """Smaller of two integers."""
        if isinstance(a, int) and isinstance(b, int):
            return min(a, b)
        a, b = self.whole(a), self.whole(b)
        return self.b.select(self.b.icmp_signed("<", a, b), a, b)

    # cells, loops and branches

    def cell(self, first: Value) -> Value:
        """Mutable variable, which LLVM turns into a register."""
        self._cells.position_before(self._leave)
        made = self._cells.alloca(first.type)
        self.b.store(first, made)
        return made

    def table(self, values: Sequence[int]) -> Value:
        """Address of a small array of 64-bit integers with these initial values."""
        self._cells.position_before(self._leave)
        made = self._cells.alloca(WHOLE, size=len(values))
        for i, value in enumerate(values):
            self.store_as(WHOLE, self.whole(value), made, i)
        return made

    def get(self, cell: Value) -> Value:
        return self.b.load(cell, typ=cell.allocated_type)

    def set(self, cell: Value, value: Value) -> None:
        self.b.store(value, cell)

    @contextmanager
    def loop(self, stop: Any, start: Any = 0, step: int = 1) -> Iterator[Value]:
        """Loop from `start` to before `stop`; yields the counter."""
        if isinstance(stop, int) and isinstance(start, int) and stop == start + step:
            yield self.whole(start)
            return
        counter = self.cell(self.whole(start))
        test, body, after = (self.b.append_basic_block(name) for name in ("test", "loop", "after"))
        self.b.branch(test)
        self.b.position_at_end(test)
        now = self.get(counter)
        self.b.cbranch(self.b.icmp_signed("<", now, self.whole(stop)), body, after)
        self.b.position_at_end(body)
        yield now
        self.set(counter, self.b.add(now, self.whole(step)))
        self.b.branch(test)
        self.b.position_at_end(after)

    # memory and numbers

    def at(self, place: Value, index: Any, type: Value | None = None) -> Value:
        return self.b.gep(place, [self.whole(index)], source_etype=type or self.number.type)

    def bytes_on(self, place: Value, offset: int) -> Value:
        return self.b.gep(place, [self.whole(offset)], source_etype=ir.IntType(8))

    def load(self, place: Value, index: Any = 0, lanes: int = 0) -> Value:
        """A number, or a vector of `lanes` numbers."""
        type = vector(self.number.type, lanes) if lanes else self.number.type
        return self.b.load(self.at(place, index), typ=type, align=self.number.bytes)

    def store(self, value: Value, place: Value, index: Any = 0) -> None:
        self.b.store(value, self.at(place, index), align=self.number.bytes)

    def load_as(self, type: Value, place: Value, index: Any) -> Value:
        """Integer of the given type at an index."""
        return self.b.load(self.at(place, index, type), typ=type)

    def store_as(self, type: Value, value: Value, place: Value, index: Any) -> None:
        self.b.store(value, self.at(place, index, type), align=4 if type != WHOLE else 8)

    def constant(self, value: float, lanes: int = 0) -> Value:
        one = ir.Constant(self.number.type, value)
        return ir.Constant(vector(self.number.type, lanes), [one] * lanes) if lanes else one

    def spread(self, value: Value, lanes: int) -> Value:
        """Vector with all lanes equal to a value; a vector as it is."""
        if hasattr(value.type, "count"):
            return value
        kind = vector(value.type, lanes)
        one = self.b.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(SHORT, 0))
        return self.shuffle(one, one, [0] * lanes)

    def shuffle(self, a: Value, b: Value, order: Sequence[int]) -> Value:
        """Lanes of `a` followed by those of `b`, reordered."""
        mask = ir.Constant(vector(SHORT, len(order)), [ir.Constant(SHORT, i) for i in order])
        return self.b.shuffle_vector(a, b, mask)

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """a·b + c, rounded once where the processor has fused multiply-add."""
        return self._intrinsic("llvm.fma" if self.number.fused else "llvm.fmuladd", a, b, c)

    def root(self, a: Value) -> Value:
        """√a, correctly rounded."""
        return self._intrinsic("llvm.sqrt", a)

    def _intrinsic(self, operation: str, *given: Value) -> Value:
        """Call of an LLVM intrinsic on numbers or vectors of one type."""
        type, one = given[0].type, self.number.type.intrinsic_name
        name = f"{operation}.v{type.count}{one}" if hasattr(type, "count") else f"{operation}.{one}"
        known = self.module.globals.get(name)
        kind = ir.FunctionType(type, [type] * len(given))
        return self.b.call(known or ir.Function(self.module, kind, name), given)

    def sum(self, value: Value) -> Value:
        """Sum of a vector's lanes by pairwise halving."""
        lanes = value.type.count
        while lanes > 1:
            lanes //= 2
            low = self.shuffle(value, value, range(lanes))
            high = self.shuffle(value, value, range(lanes, 2 * lanes))
            value = self.b.fadd(low, high)
        return self.b.extract_element(value, ir.Constant(SHORT, 0))

    def accumulators(self, count: int, lanes: int) -> list[Value]:
        """Vector variables that are zero."""
        return [self.cell(self.constant(0.0, lanes)) for _ in range(count)]

    def add_products(self, sums: Sequence[Value], ones: Sequence[Value], vectors: Sequence[Value]) -> None:
        """Add each of `ones`, a number or a vector, times each of `vectors`, each to a variable."""
        left = iter(sums)
        for one in ones:
            wide = {n: self.spread(one, n) for n in dict.fromkeys(v.type.count for v in vectors)}
            for value in vectors:
                cell = next(left)
                self.set(cell, self.fma(wide[value.type.count], value, self.get(cell)))


def looped(code: Code, count: int, lanes: int) -> Iterator[tuple[Value, int]]:
    """Vectors (first, lanes) that cover `count` numbers: a loop over whole ones, then the rest one by one."""
    if count >= lanes:
        with code.loop(count // lanes * lanes, step=lanes) as at:
            yield at, lanes
    for first, n in chunks(count, lanes):
        if n < lanes:
            yield code.whole(first), n
