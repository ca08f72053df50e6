// A law's card under the hand: its figure as pages/parts/charts/law.py draws it, from the law computed here.
// card: {rest, caption, figure, law}; law: {name, epsilon, shares, per, low, high, whole, told, tells, tail, look: {other, own}, note,
// …its own parameters}: what its client asks for, whether whole uploads are shortened to a length instead, and what the
// law needs to be told there and at each budget (laws.js)

import { lawOf } from "./laws.js";
import { number, percent, signed } from "./numbers.js";

const POINTS = 160;
const [SELDOM, FEW] = [0.005, 3]; // as pages/parts/charts/law.py has them
const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

export function moved(card, place) {
  const [law, epsilon] = asked(card.law, place);
  const { low, high } = law;
  const { weight } = place;
  const value = Math.min(Math.max(weight.value, low), high);
  const other = value - low > high - value ? low : high;
  const [own, apart] = [value, other].map((x) => lawOf(law, x, epsilon));
  const traces = [...drawn(apart, other, law.look.other, `if it were ${signed(other)}`), ...drawn(own, value, law.look.own, "this weight")];
  const clipped = value === weight.value ? "" : `, clipped to ${signed(value)}`;
  return {
    ...card,
    rest: `: what is sent for a weight of ${weight.words}${clipped}, at ε ${number(epsilon)}${card.law.per}`,
    caption: `variance ${number(own.variance)}, σ ${number(Math.sqrt(own.variance))}; ${range(law)}${law.tail}`,
    figure: figure(JSON.parse(card.figure), law, traces, own, value, weight.value),
  };
}

// The law at the budget and on the safe range that are asked for, of that half width around its own centre; and that ε.
export function asked(law, { epsilon, tau }) {
  const centre = (law.low + law.high) / 2;
  const on = tau.own || law.whole ? { ...law } : { ...law, low: centre - tau.value, high: centre + tau.value };
  if (epsilon.own) return [on, law.epsilon];
  return [{ ...on, told: law.tells?.[epsilon.at] }, epsilon.value / law.shares];
}

function range({ low, high, whole }) {
  if (whole) return whole;
  const words = low === -high ? `±${number(high)}` : `[${signed(low)}, ${signed(high)}]`;
  return `grey: a weight from the other end of the safe range, ${words} (shaded)`;
}

function figure({ layout }, law, data, own, value, weight) {
  const seldom = own.atoms.length > FEW ? SELDOM : 0;
  const stems = own.atoms.filter(([, p]) => p > seldom).sort(([, p], [, q]) => q - p);
  const highest = Math.max(...data.flatMap((trace) => trace.y.filter(Number.isFinite)));
  const top = stems.length ? 1.2 : roundedUp(1.1 * highest);
  const notes = stems.map(([x, p]) => ({ ...law.note, x, y: p, text: `<b>${chance(p)}</b> at ${signed(x)}` }));
  const mark = { ...layout.annotations[0], x: value, y: top, text: `${value === weight ? "true" : "clipped"} weight ${signed(value)}` };
  const [span, line] = layout.shapes;
  const title = { ...layout.yaxis.title, text: stems.length ? "probability" : "density" };
  return {
    data,
    layout: {
      ...layout,
      xaxis: { ...layout.xaxis, range: across(data, law) },
      yaxis: { ...layout.yaxis, title, range: [0, top], tickformat: stems.length ? ".0%" : "~g" },
      annotations: [mark, ...notes],
      shapes: [{ ...span, x0: law.low, x1: law.high }, { ...line, x0: value, x1: value }],
    },
  };
}

// Stems for the atoms, an area for the density.
function drawn(one, value, look, name) {
  const traces = [];
  if (one.atoms.length) {
    const x = one.atoms.flatMap(([y]) => [y, y, y]);
    const y = one.atoms.flatMap(([, p]) => [0, p, NaN]);
    traces.push({ ...look.stems, x, y, name, hovertemplate: `%{x:.3g}: %{y:.1%}<extra>${name}</extra>` });
  }
  if (one.edges.length) {
    const reach = 5 * Math.sqrt(one.variance);
    const ends = one.edges.map((edge) => (Number.isFinite(edge) ? edge : value + Math.sign(edge) * reach));
    const [first, last] = [ends[0], ends.at(-1)];
    const step = 1e-9 * Math.max(1, last - first);
    const grid = Array.from({ length: POINTS }, (_, i) => first + ((last - first) * i) / (POINTS - 1));
    const x = [...grid, ...ends.flatMap((end) => [end - step, end + step])].sort((a, b) => a - b);
    traces.push({ ...look.area, x, y: x.map(one.density), name });
  }
  return traces;
}

// A probability as pages/parts/charts/law.py writes it.
function chance(p) {
  if ((p > SELDOM && p < 1 - SELDOM) || p === 0 || p === 1) return percent(p);
  return `${number(100 * p, p < SELDOM ? 2 : 4)}\u202f%`;
}

// From the least to the largest that may be sent, and a little more.
function across(data, { low, high }) {
  const centre = (low + high) / 2;
  const farthest = Math.max(high - centre, ...data.map((trace) => Math.max(...trace.x.map((x) => Math.abs(x - centre)))));
  const half = 1.06 * roundedUp(farthest);
  return [centre - half, centre + half];
}

function roundedUp(value) {
  if (!(value > 0 && value < Infinity)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ROUND.map((step) => step * power).find((end) => end >= value) ?? 10 * power;
}
