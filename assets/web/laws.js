// The laws of one weight's answer on [−1, 1], by the closed forms of ldp_core/mechanisms, under the names of their
// classes there: tests/browser/test_laws.py holds both together to twelve digits.
// (v, e, spread) → {variance, atoms: [[y, probability]], edges: [y], density: (y) → density}; `spread`: the standard
// deviation of normal noise, which its mechanisms compute and send.

const { abs, exp, expm1, floor, max, min, sinh, sqrt, tanh } = Math;
const BEGINS = 0.60935249302731; // ε up to which Hybrid is Duchi alone
const smooth = (variance, edges, density) => ({ variance, atoms: [], edges, density });
const discrete = (variance, atoms) => ({ variance, atoms, edges: [], density: () => 0 });

function Laplace(v, e) {
  return smooth(8 / e ** 2, [-Infinity, v, Infinity], (y) => (e / 4) * exp((-abs(y - v) * e) / 2));
}

function Duchi(v, e) {
  const [x, outcome] = [exp(-e), 1 / tanh(e / 2)];
  const [plus, minus] = [v, -v].map((w) => (1 + w + x * (1 - w)) / (2 * (1 + x)));
  return discrete(1 / sinh(min(e, 700) / 2) ** 2 + (1 - v) * (1 + v), [[-outcome, minus], [outcome, plus]]);
}

function PDPM(v, e) {
  const { variance, high, low, pHigh, pLow } = pdpm(v, e);
  return discrete(variance, [[-low, pLow], [high, pHigh]]);
}

function PDPMAsPrinted(v, e) {
  const { variance, high, low, pHigh, pLow } = pdpm(v, e);
  return discrete(variance + low ** 2 * pLow, [[-2 * low, pLow / 2], [0, pLow / 2], [high, pHigh]]);
}

function pdpm(v, e) {
  const [x, gap] = [exp(-e), -expm1(-e)];
  return {
    variance: ((1 - v + x * (3 + v)) * (1 + v + x * (1 - v))) / gap ** 2,
    high: (1 + 3 * x) / gap,
    low: (1 + x) / gap,
    pHigh: (1 + v + x * (1 - v)) / (2 * (1 + 2 * x)),
    pLow: (1 - v + x * (3 + v)) / (2 * (1 + 2 * x)),
  };
}

function Piecewise(v, e) {
  const [q, gap] = [exp(-e / 2), -expm1(-e / 2)];
  const [left, width, bound] = [(v - q) / gap, (2 * q) / gap, (1 + q) / gap];
  const inside = (exp(e / 2) * tanh(e / 4)) / 2;
  const density = (y) => (abs(y) > bound * (1 + 1e-6) ? 0 : y >= left && y <= left + width ? inside : inside * exp(-e));
  return smooth((q / gap) * v ** 2 + (q * (1 + 3 * q)) / (3 * gap ** 2), [-bound, left, left + width, bound], density);
}

function Hybrid(v, e) {
  const duchi = Duchi(v, e);
  if (e <= BEGINS) return duchi;
  const [q, gap, narrow] = [exp(-e / 2), -expm1(-e / 2), Piecewise(v, e)];
  return {
    variance: (q * (1 + 3 * q)) / (3 * gap) + q / tanh(e / 2) ** 2,
    atoms: duchi.atoms.map(([y, p]) => [y, q * p]),
    edges: narrow.edges,
    density: (y) => gap * narrow.density(y),
  };
}

function GRR(v, e, spread, { levels }) {
  const [x, k, gap] = [exp(-e), levels, -expm1(-e)];
  const [last, total] = [k - 1, 1 + (k - 1) * x];
  const step = 2 / last;
  const below = max(0, min(k - 2, floor((v + 1) / step))) * step - 1;
  const rounding = max(0, (v - below) * (below + step - v));
  const squares = (k * (k + 1)) / (3 * last);
  const hat = (level) => max(0, min(1, 1 - abs((v + 1) * (last / 2) - level)));
  return discrete(
    ((x * total) / gap ** 2) * squares + (rounding * total) / gap + v ** 2 * ((k * x) / gap),
    Array.from({ length: k }, (_, level) => [((level * 2) / last - 1) * (total / gap), (x + gap * hat(level)) / total]),
  );
}

function Normal(v, e, spread) {
  const density = (y) => exp(-(((y - v) / spread) ** 2) / 2) / (spread * sqrt(2 * Math.PI));
  return smooth(spread ** 2, [-Infinity, Infinity], density);
}

const LAWS = { Laplace, Duchi, PDPM, PDPMAsPrinted, Piecewise, Hybrid, GRR, Normal };

// The law on a safe range: {name, low, high, fixed, …its own parameters}. `spread`: the standard deviation of normal
// noise on a range of half width 1; where it is `fixed`, on any.
export function lawOf(law, value, epsilon, spread) {
  const { low, high } = law;
  const [centre, half] = [(low + high) / 2, (high - low) / 2];
  const v = max(-1, min(1, (value - low - (high - value)) / (high - low)));
  const unit = LAWS[law.name](v, epsilon, law.fixed ? spread / half : spread, law);
  return {
    variance: half ** 2 * unit.variance,
    atoms: unit.atoms.map(([y, p]) => [centre + half * y, p]),
    edges: unit.edges.map((y) => centre + half * y),
    density: (y) => unit.density((y - centre) / half) / half,
  };
}
