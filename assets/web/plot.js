// One way to draw: Plotly.react on a node that stays, so that live data do not flicker.

import { beside, label } from "./labels.js";
import { coloured, palette } from "./theme.js";

let loading;

function plotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("../plotly/plotly-cartesian.min.js", import.meta.url);
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      loading = undefined; // the next update tries again
      reject(new Error("the chart library could not be loaded"));
    };
    document.head.append(script);
  });
  return loading;
}

plotly().catch(() => {}); // begin with the download now; whoever draws will hear of a failure

const CONFIG = { displaylogo: false, responsive: false, displayModeBar: false };

// Draw a figure (plotly JSON as an object) into an element; updates of one element are drawn in order.
export function draw(element, figure, height, words) {
  element.style.minHeight = `${height}px`;
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", words);
  element.pendingFigure = { figure: element.closest(".st-key-wall") ? grown(figure) : figure, height };
  enqueue(element, redraw);
}

// For the wall of a class: letters, dots, lines and the room for them so much larger.
const GROWN = 1.5;
const GROWING = new Set(["size", "width", "r", "xshift", "yshift", "standoff"]);

function grown(value, key) {
  if (typeof value === "number") return GROWING.has(key) ? GROWN * value : value;
  if (Array.isArray(value)) return value.map((one) => grown(one));
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, grown(one, name)]));
}

// The size is told and not asked for: every question for it would have the browser lay out the whole page.
async function redraw(element) {
  const { figure, height } = element.pendingFigure ?? {};
  if (!figure) return;
  element.pendingFigure = undefined;
  element.lastFigure = { figure, height };
  const Plotly = await plotly();
  if (!element.isConnected) return;
  element.knownWidth ??= element.clientWidth;
  if (!element.knownWidth) return; // hidden: drawn as soon as it has a size
  const { data, fitted, tall } = laid(element, { figure, height });
  element.style.minHeight = `${tall}px`;
  const { shapes = [], annotations = [], ...rest } = fitted;
  const axes = { xaxis: { range: rest.xaxis.range }, yaxis: { range: rest.yaxis.range } };
  const now = { marks: JSON.stringify(shapes), all: JSON.stringify([data, rest]), frame: framed(data, rest), axes: JSON.stringify(axes) };
  // plotly keeps the room of a legend that is gone: a chart that loses or gains one starts afresh
  if (element.data && Boolean(rest.showlegend) !== Boolean(element.layout.showlegend)) afresh(element);
  const before = (element.data && element.drawnBefore) || {};
  const sameFrame = now.frame !== null && now.frame === before.frame;
  try {
    if (now.all !== before.all) await (sameFrame ? move(element, data, now.axes === before.axes ? {} : axes) : Plotly.react(element, data, { ...rest, shapes }, CONFIG));
    if ((now.all === before.all || sameFrame) && now.marks !== before.marks) await Plotly.relayout(element, { shapes });
  } catch {
    afresh(element); // whatever state it was in
    await Plotly.newPlot(element, data, { ...rest, shapes }, CONFIG);
  }
  element.drawnBefore = now;
  label(element, annotations);
}

// A figure in this theme's colours, in the room that it has.
function laid(element, { figure, height }) {
  const width = element.knownWidth;
  const { data, layout } = coloured(figure, palette(element));
  const fitted = fitting(layout, width, data);
  const tall = fitted.showlegend ? Math.max(height, fitted.margin.b + LEGEND.plot) : height;
  return { data, fitted: { ...fitted, height: tall, width, autosize: false }, tall };
}

function afresh(element) {
  window.Plotly.purge(element);
  element.textContent = "";
}

const MOVING = ["x", "y", "text", "hovertemplate", "name"]; // a name is told where a pointer is, and in a legend

// All of a figure but the points and the ends of its axes, or null where points alone cannot be moved.
function framed(data, layout) {
  const { xaxis: { range: acrossRange, ...across }, yaxis: { range: upRange, ...up }, ...rest } = layout;
  if (!acrossRange || !upRange || data.some((trace) => trace.type !== "scatter")) return null;
  const named = (trace) => (layout.showlegend ? trace.name : 0);
  const fixed = data.map((trace) => ({ ...trace, ...Object.fromEntries(MOVING.map((key) => [key, 0])), name: named(trace) }));
  return JSON.stringify([fixed, across, up, rest]);
}

// Lines get new points, and axes new ends where these have changed; nothing else is drawn again.
function move(element, data, layout) {
  const points = data.map((trace) => Object.fromEntries(MOVING.filter((key) => key in trace).map((key) => [key, trace[key]])));
  return window.Plotly.animate(
    element,
    { data: points, traces: points.map((_, i) => i), layout },
    { mode: "immediate", transition: { duration: 0 }, frame: { duration: 0, redraw: false } },
  );
}

// One thing at a time on one chart: drawing and fitting to a new width must not meet half way.
function enqueue(element, task) {
  follow(element);
  element.drawing = (element.drawing ?? Promise.resolve()).then(() => task(element)).catch((error) => {
    element.drawnBefore = undefined;
    element.textContent = error.message;
  });
}

// A chart keeps to its column, which may become narrower or wider without the window changing.
function follow(element) {
  if (element.watcher) return;
  element.watcher = new ResizeObserver(([entry]) => {
    const width = Math.floor(entry.contentRect.width);
    if (width === element.knownWidth || width === 0) return;
    element.knownWidth = width;
    element.pendingFigure ??= element.lastFigure;
    enqueue(element, redraw);
  });
  element.watcher.observe(element);
}

const LEGEND = { entry: 110, key: 40, letter: 6.2, row: 19, axis: 58, left: 56, plot: 190 };

// Where labels beside the lines would leave the plot no room, a legend below takes their place.
function fitting(layout, width, data) {
  const right = layout.margin?.r ?? 0;
  if (right < (width < 360 ? 0.4 : 0.48) * width) return layout; // labels at the lines are read sooner
  const names = data.filter((trace) => trace.name && trace.showlegend !== false && trace.x?.bdata !== "").map((trace) => trace.name.length);
  const entry = Math.max(LEGEND.entry, LEGEND.key + LEGEND.letter * Math.max(0, ...names));
  const room = width - LEGEND.left;
  const rows = Math.ceil(names.length / Math.max(1, Math.floor(room / entry)));
  return {
    ...layout,
    margin: { ...layout.margin, r: 8, b: LEGEND.axis + rows * LEGEND.row },
    annotations: (layout.annotations ?? []).filter((item) => !beside(item)),
    showlegend: true,
    legend: { orientation: "h", maxheight: 1, yref: "container", y: 0, yanchor: "bottom", entrywidth: entry - LEGEND.key, font: { size: 12 } },
  };
}

// In its turn, like everything else: a drawing that is under way ends first. The element may be drawn on
// again, by whoever takes the place over.
export function erase(element) {
  element.pendingFigure = undefined;
  element.watcher?.disconnect();
  element.watcher = undefined;
  element.drawing = (element.drawing ?? Promise.resolve()).then(() => {
    if (window.Plotly && element.data) window.Plotly.purge(element);
    element.drawnBefore = undefined;
  });
}
