// Charts of a page without Plotly: figures as pages/parts/charts writes them, drawn as SVG with the functions of plot.js
// that others import; the values under the pointer stand beside it.

import { child, fill } from "./dom.js";
import { beside, label } from "./labels.js";
import { coloured, palette } from "./theme.js";

const KINDS = { f4: Float32Array, f8: Float64Array, i2: Int16Array };
const DASHES = { dot: "2 3", dash: "7 4", dashdot: "7 3 2 3", longdash: "11 4", longdashdot: "11 4 2 4" };
const [LEFT, BELOW, NARROWEST, KEY] = [46, 40, 100, 48]; // pixels: of words at the axes, a plot between its words, and words below it
const BESIDE = 1.03; // where words beside the plot begin, in its widths
const pen = document.createElement("canvas").getContext("2d");

export function draw(element, figure, height, words) {
  Object.assign(element, { figure, height });
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", words);
  element.watcher ??= new ResizeObserver(() => element.clientWidth !== element.drawnWidth && drawn(element));
  element.watcher.observe(element);
  drawn(element);
}

export function erase(element) {
  element.watcher?.disconnect();
  element.watcher = undefined;
}

// An annotation's words without its markup, of which & < > are written as entities.
function bare(text) {
  return text.replace(/<[^>]*>/g, "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
}

function values(list) {
  if (list?.bdata === undefined) return list ?? [];
  return [...new KINDS[list.dtype](Uint8Array.from(atob(list.bdata), (c) => c.charCodeAt(0)).buffer)];
}

function drawn(element) {
  const width = element.clientWidth;
  element.drawnWidth = width;
  if (!width) return;
  const { data, layout } = coloured(element.figure, palette(element));
  const { margin, annotations = [], shapes = [] } = layout;
  pen.font = `600 13px ${getComputedStyle(element).fontFamily}`;
  const longest = Math.max(0, ...annotations.filter(beside).map(({ text }) => pen.measureText(bare(text)).width));
  const room = (width - LEFT - longest) / BESIDE >= NARROWEST; // for words beside the lines, which else stand below
  const height = element.height - (room ? 0 : KEY);
  const size = { l: LEFT, t: margin.t, w: room ? (width - LEFT - 4 - longest) / BESIDE : width - LEFT - 10, h: height - margin.t - BELOW };
  const traces = data.map((trace) => ({ ...trace, x: values(trace.x), y: values(trace.y) }));
  const x = axis(layout.xaxis, size.w, traces.flatMap((one) => one.x), LEFT, false);
  const y = axis(layout.yaxis, size.h, [], size.t, true);
  element._fullLayout = { _size: size, width, xaxis: x, yaxis: y }; // as labels.js asks it of plotly
  const small = { "font-size": 12, fill: layout.font.color };
  const list = [
    ...y.ticks.flatMap(([at, words]) => [
      ["line", { x1: LEFT, x2: LEFT + size.w, y1: at, y2: at, stroke: layout.yaxis.gridcolor }],
      ["text", { x: LEFT - 6, y: at + 4, "text-anchor": "end", ...small }, words],
    ]),
    ...x.ticks.map(([at, words]) => ["text", { x: at, y: height - BELOW + 17, "text-anchor": "middle", ...small }, words]),
    ["text", { x: width / 2, y: height - 6, "text-anchor": "middle", ...small }, layout.xaxis.title?.text ?? ""],
    ...shapes.map((one) => across(one, size, x, y)),
    ...traces.flatMap((trace) => traced(trace, x.to, y.to)),
    ["line", { class: "es-rule", y1: size.t, y2: size.t + size.h, stroke: "none" }],
  ];
  const plot = child(element, "div", "es-own-plot", element.firstChild);
  plot.replaceChildren();
  fill(plot, [["svg", { width, height, "font-family": "var(--st-font)" }, list]]);
  label(element, room ? annotations : annotations.filter((one) => !beside(one)));
  const below = room ? [] : annotations.filter(beside).reverse();
  fill(child(element, "div", "es-own-key"), below.map(({ text, font }) => ["span", { style: { color: font.color } }, bare(text)]));
  const spots = traces.filter((one) => one.hoverinfo !== "skip").flatMap((trace) => trace.x.map((_, i) => ({ trace, i, at: [x.to(trace.x[i]), y.to(trace.y[i])] })));
  element.spots = spots.filter(({ at }) => at.every(Number.isFinite));
  element.onpointermove = (event) => told(element, event, layout);
  element.onpointerleave = () => told(element, null, layout);
}

// An axis from its values to pixels, with the words on it; `up`: larger values stand above.
function axis({ type, range, tickvals, ticktext, dtick, visible }, room, own, from, up) {
  const names = type === "category" ? [...new Set(own)] : null;
  const [a, b] = range ?? (names ? [-0.5, names.length - 0.5] : [Math.min(...own), Math.max(...own)]);
  const r2p = (value) => ((up ? b - value : value - a) / (b - a || 1)) * room;
  const scale = (value) => (names ? names.indexOf(value) : type === "log" ? Math.log10(value) : value);
  const to = (value) => from + r2p(scale(value));
  const even = () => {
    const step = dtick ?? [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => Math.abs(b - a) / one <= 8) ?? b - a;
    const first = Math.ceil(Math.min(a, b) / step - 1e-9);
    return Array.from({ length: Math.floor(Math.abs(b - a) / step + 1e-9) + 1 }, (_, i) => Number(((first + i) * step).toFixed(6)));
  };
  const where = visible === false ? [] : tickvals ?? names ?? even();
  const seen = where.map((value, i) => [to(value), ticktext?.[i] ?? String(value)]);
  const within = seen.filter(([at]) => at > from - 1 && at < from + room + 1);
  const every = up || names ? 1 : Math.ceil((within.length * 38) / room); // so that none covers the next
  return { r2p, to, range: [a, b], _offset: from, ticks: within.filter((_, i) => i % every === 0) };
}

function across({ xref, yref, x0, x1, y0, y1, line }, size, x, y) {
  const [px, py] = [(v) => (xref === "paper" ? size.l + v * size.w : x.to(v)), (v) => (yref === "paper" ? size.t + (1 - v) * size.h : y.to(v))];
  const ends = { x1: px(x0), x2: px(x1), y1: py(y0), y2: py(y1) };
  return ["line", { ...ends, stroke: line.color, "stroke-width": line.width, "stroke-dasharray": DASHES[line.dash] ?? null }];
}

function traced({ x: xs, y: ys, mode = "lines", line, marker, text, fill: filled, fillcolor }, x, y) {
  const spots = xs.map((value, i) => [x(value), y(ys[i])]).map((spot) => (spot.every(Number.isFinite) ? spot : null));
  // a missing value is a gap
  const d = spots.map((spot, i) => (spot ? `${spots[i - 1] ? "L" : "M"}${spot.map((v) => v.toFixed(1))}` : "")).join("");
  if (filled === "toself") return [["path", { d: d && `${d}Z`, fill: fillcolor, stroke: "none" }]];
  const stroke = { fill: "none", stroke: line?.color, "stroke-width": line?.width, "stroke-linejoin": "round", "stroke-dasharray": DASHES[line?.dash] ?? null };
  const open = marker?.symbol === "circle-open";
  const dot = { r: marker?.size / 2, fill: open ? "none" : marker?.color, stroke: marker?.color };
  const words = { "font-size": 12, fill: line?.color, "text-anchor": "end" };
  const of = (kind, made) => (mode.includes(kind) ? spots.flatMap((spot, i) => (spot ? [made(...spot, i)] : [])) : []);
  return [
    ...(mode.includes("lines") && line?.width ? [["path", { d, ...stroke }]] : []),
    ...of("markers", (cx, cy) => ["circle", { cx, cy, ...dot }]),
    ...of("text", (cx, cy, i) => ["text", { x: cx - 6, y: cy - 6, ...words }, text[i]]),
  ];
}

// What stands at the pointer: of each line at the place nearest to it, or of the nearest point alone.
function told(element, event, { hovermode, xaxis }) {
  const tip = child(element, "div", "es-tip"), rule = element.querySelector(".es-rule");
  const box = element.getBoundingClientRect();
  const far = ([px, py]) => Math.hypot(px - event.clientX + box.left, hovermode === "closest" ? py - event.clientY + box.top : 0);
  const near = event && element.spots.reduce((best, one) => (!best || far(one.at) < far(best.at) ? one : best), null);
  tip.hidden = !near;
  rule?.setAttribute("stroke", near && hovermode !== "closest" ? element._fullLayout.xaxis && getComputedStyle(element).color : "none");
  if (!near) return;
  const same = hovermode === "closest" ? [near] : element.spots.filter(({ at }) => Math.abs(at[0] - near.at[0]) < 0.5);
  const title = hovermode === "closest" ? "" : (xaxis.unifiedhovertitle?.text ?? "%{x}").replace("%{x}", near.trace.x[near.i]);
  const row = ({ trace, i }) => {
    const words = (trace.hovertemplate ?? "%{y}").replace(/<extra>.*/, "").replace(/%\{(\w+):?([^}]*)\}/g, (_, name, form) => shown((name === "hovertext" ? trace.hovertext : trace[name])[i], form));
    return ["div", { style: { color: trace.line?.color ?? trace.marker?.color } }, hovermode === "closest" ? words : `${trace.name} ${words}`];
  };
  fill(tip, [["strong", title], ...same.map(row)]);
  ["x1", "x2"].forEach((end) => rule.setAttribute(end, near.at[0]));
  tip.style.left = `${Math.max(0, Math.min(near.at[0] + 12, element.clientWidth - tip.offsetWidth))}px`;
}

function shown(value, form) {
  const digits = Number(form.match(/\d+/)?.[0] ?? 3);
  if (form.endsWith("%")) return `${(100 * value).toFixed(digits)} %`;
  if (form.endsWith("f")) return value.toFixed(digits);
  return typeof value === "number" ? String(Number(value.toPrecision(digits))) : value;
}
