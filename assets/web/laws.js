// The laws of one weight's answer on [−1, 1], by the closed forms of ldp_core/mechanisms, under the names of their
// classes there: tests/browser/test_laws.py holds both together to twelve digits.
// (v, e, law) → {variance, atoms: [[y, probability]], edges: [y], density: (y) → density}; law: its parameters

import { below } from "./normal.js";

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

function GRR(v, e, { levels }) {
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

const LAWS = { Laplace, Duchi, PDPM, PDPMAsPrinted, Piecewise, Hybrid, GRR };

// The same of those that are not a stretched law on [−1, 1]: of a weight on its own scale, inside its range.
// `told`: what follows from ε with more than a few operations, and is sent with the law for each budget.

// Normal noise; `fixed`: whatever the range, else in proportion to it.
function Normal(value, e, { told, fixed, low, high, norm }) {
  const spread = fixed ? told : (told * (high - low)) / 2;
  const centre = norm ? max(-norm, min(norm, value)) : value;
  const density = (y) => exp(-(((y - centre) / spread) ** 2) / 2) / (spread * sqrt(2 * Math.PI));
  return smooth(spread ** 2, [-Infinity, Infinity], density);
}

function NoNoise(value) {
  return discrete(0, [[value, 1]]);
}

function LDPSign(value, e, { told, fixed, low, high }) {
  const z = value / (fixed ? told : (told * (high - low)) / 2);
  const [minus, plus] = [below(-z), below(z)];
  return discrete(4 * plus * minus, [[-1, minus], [1, plus]]);
}

// One of d weights is answered by Duchi's mechanism, stretched by d; all others are filled in.
function Harmony(value, e, law, filled = (law.low + law.high) / 2) {
  const { low, high, dimension: d } = law;
  const [centre, half] = [(low + high) / 2, (high - low) / 2];
  const [v, away] = [(value - centre) / half, (centre - filled) / half];
  const moved = (away ** 2 / d + 2 * away * v) * (1 - 1 / d);
  const answers = Duchi(v, e).atoms.map(([y, p]) => [centre + half * d * y, p / d]);
  const atoms = d > 1 ? [...answers, [filled, 1 - 1 / d]].sort(([y], [z]) => y - z) : answers;
  return discrete(half ** 2 * (d / sinh(min(e, 700) / 2) ** 2 + (d - 1) + (1 - v) * (1 + v) + moved), atoms);
}

function HarmonyAsPrinted(value, e, law) {
  return Harmony(value, e, law, 0);
}

// The scale is the largest weight of the upload, here the upper end of the range. Below −1 the window has left the
// mechanism's outputs on one side.
function PiecewiseAsPrinted(value, e, { high }) {
  const scale = high > 0 ? high : max(abs(high), abs(value));
  const v = value / scale;
  const unit = v < -1 ? outside(v, e) : Piecewise(v, e);
  return smooth(scale ** 2 * unit.variance, unit.edges.map((y) => scale * y), (y) => unit.density(y / scale) / scale);
}

function outside(v, e) {
  const [q, gap] = [exp(-e / 2), -expm1(-e / 2)];
  const [bound, window, left, share] = [(1 + q) / gap, (2 * q) / gap, (v - q) / gap, 1 / (1 + q)];
  const right = left + window;
  const apart = left + window / 2 - (right + bound) / 2;
  const spread = (share * window ** 2) / 12 + ((1 - share) * (bound - right) ** 2) / 12;
  const blur = 1e-6 * (1 + abs(left));
  const density = (y) => {
    if (y < left - blur || y > bound + blur) return 0;
    return y <= right ? share / window : (q * share) / (bound - right);
  };
  return smooth(spread + share * (1 - share) * apart ** 2, [left, right, bound], density);
}

// One weight of an upload as long as the ball allows: told is [how much likelier an answer is beyond the cut and before
// it, the cut, the scale, the mean square along the upload].
function PrivUnit(value, e, { told, norm, dimension: d }) {
  const [likelier, rarer, cut, scale, square] = told;
  const u = max(-1, min(1, value / norm));
  const density = (y) => {
    const v = (y / norm) * scale;
    const far = abs(u) < 1 ? (u * v - cut) / sqrt(1 - u ** 2) : u * v < cut ? -Infinity : Infinity;
    const side = below(far) * exp(likelier) + below(-far) * exp(rarer);
    return (exp((-v * v) / 2) / sqrt(2 * Math.PI)) * (scale / norm) * side;
  };
  return smooth(norm ** 2 * (((square - 1) / d + 1) / scale ** 2 - 1 / d), [-Infinity, Infinity], density);
}

const OWN_SCALE = { Normal, NoNoise, LDPSign, Harmony, HarmonyAsPrinted, PiecewiseAsPrinted, PrivUnit };

// The law on a safe range: {name, low, high, told, …its own parameters}.
export function lawOf(law, value, epsilon) {
  const { low, high } = law;
  const own = OWN_SCALE[law.name];
  if (own) return own(max(low, min(high, value)), epsilon, law);
  const [centre, half] = [(low + high) / 2, (high - low) / 2];
  const v = max(-1, min(1, (value - low - (high - value)) / (high - low)));
  const unit = LAWS[law.name](v, epsilon, law);
  return {
    variance: half ** 2 * unit.variance,
    atoms: unit.atoms.map(([y, p]) => [centre + half * y, p]),
    edges: unit.edges.map((y) => centre + half * y),
    density: (y) => unit.density((y - centre) / half) / half,
  };
}
