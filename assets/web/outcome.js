// A small picture of what a scenario came to: accuracies as lines, labelled at their ends, and what an attacker
// got under each design. data: {lines: [{name, run, points: [[x, y]], end}], guides: [{name, short, y}], range: [x0, x1],
// axis, dots, images: [{image, name, caption, mark}], height, label}; x as it is, y a share. With `dots`, a row for each
// line: its last value, and ± half.

import { child, fill, picture, spread } from "./dom.js";
import { palette } from "./theme.js";

const FONT = 12;
const BESIDE = 10; // pixels between lines and their names, and after these
const GAP = 14;
const [ROW, NARROW] = [17, 90]; // height of a row with a dot, and the least width of its scale
const DASHED = { "stroke-dasharray": "2 3" };

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-outcome");
  const place = child(box, "div", "es-outcome-chart");
  fill(child(box, "div", "es-outcome-images"), data.images.map(shot));
  place.hidden = !data.lines.length;
  place.classList.toggle("es-outcome-wide", Boolean(data.dots));
  if (!data.lines.length) return;
  place.latest = data;
  place.watcher ??= new ResizeObserver(() => chart(place));
  place.watcher.observe(place);
  chart(place);
}

export function unmount({ parentElement }) {
  parentElement.querySelectorAll(".es-outcome-chart").forEach((place) => {
    place.watcher?.disconnect();
    place.watcher = undefined;
  });
}

function shot({ image, name, caption, mark }) {
  const words = [["span.es-outcome-line", name], ["span.es-outcome-line", caption]];
  return [
    "figure.es-outcome-shot",
    { "data-mark": mark, title: `${name} ${caption}` }, // where there is no room for the whole name
    [
      picture("es-outcome-picture", image, `${name}: ${caption}`),
      ["figcaption.es-outcome-caption", words],
    ],
  ];
}

function chart(place) {
  const { lines, label, dots } = place.latest;
  const width = Math.floor(place.clientWidth);
  if (!width) return;
  const colours = palette(place);
  const pen = {
    ink: (run) => colours.resolve(run === null ? "var(--st-gray-text-color)" : `run(${run})`),
    grid: colours.resolve("var(--st-border-color-light)"),
    paper: colours.resolve("var(--st-background-color)"),
    family: getComputedStyle(place).fontFamily,
  };
  const drawn = dots ? rows(place.latest, width, pen) : curves(place.latest, width, pen);
  place.replaceChildren(); // no look of the lines before stays with others
  fill(place, [["svg", { width, height: drawn.height, role: "img", "aria-label": label }, drawn.list]]);
}

function curves({ lines, guides, range, axis, height }, width, { ink, grid, family }) {
  const ends = [
    ...lines.map((line) => ({ words: `${line.name} ${line.end}`, y: line.points.at(-1)[1], run: line.run })),
    ...guides.map((guide) => ({ words: guide.name, short: guide.short, y: guide.y, run: null })),
  ];
  const right = Math.min(0.6 * width, BESIDE + Math.max(...ends.map((end) => wide(end.words, family))));
  const [top, bottom] = [8, height - 20];
  const x = (value) => 4 + ((value - range[0]) / (range[1] - range[0] || 1)) * (width - right - 8);
  const y = (share) => bottom - share * (bottom - top);
  const across = (share, look) => ["line", { x1: 4, x2: width - right, y1: y(share), y2: y(share), ...look }];
  const drawn = lines.flatMap((line) => {
    const points = line.points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
    const [a, b] = line.points.at(-1);
    return [
      ["polyline", { points, fill: "none", stroke: ink(line.run), "stroke-width": 2.5, "stroke-linejoin": "round" }],
      ["circle", { cx: x(a), cy: y(b), r: 3, fill: ink(line.run) }],
    ];
  });
  const labels = spread(ends.map((end) => y(end.y)), GAP, top, bottom + 6).map((at, i) => {
    const { run, words: whole, short } = ends[i];
    const words = short && wide(whole, family) > right - 6 ? short : whole; // a phone has no room for all
    const look = { fill: ink(run), "font-size": FONT, "font-weight": run === null ? 400 : 600 };
    return ["text", { x: width - right + 6, y: at + 4, ...look }, fitting(words, right - 6, family)];
  });
  const list = [
    ...[0, 0.5, 1].map((share) => across(share, { stroke: grid })),
    ...guides.map((guide) => across(guide.y, { stroke: ink(null), ...DASHED })),
    ...drawn,
    ...labels,
    ["text", { x: 4, y: height - 4, fill: ink(null), "font-size": 12 }, axis],
  ];
  return { height, list };
}

function rows({ lines, guides, axis }, width, { ink, grid, paper, family }) {
  const widest = (list) => Math.max(...list.map((words) => wide(words, family))) + BESIDE;
  const [names, values] = [widest(lines.map((line) => line.name)), widest(lines.map((line) => line.end))];
  const above = width - names - values < NARROW; // each name on a line of its own
  const row = above ? 2 * ROW : ROW;
  const [from, to] = [above ? 4 : names, width - values - 4];
  const across = (share) => from + Math.max(0, Math.min(1, share)) * (to - from);
  const bottom = lines.length * row;
  const levels = guides.flatMap(({ name: whole, short, y }, i) => {
    const at = { x1: across(y), x2: across(y), y1: 0, y2: bottom + i * ROW + 4 };
    const name = short && wide(whole, family) > Math.max(across(y), width - across(y)) - 4 ? short : whole;
    const anchor = y > 0.5 || across(y) + wide(name, family) > width ? "end" : "start";
    const beside = { x: across(y) + (anchor === "end" ? -4 : 4), y: bottom + i * ROW + 12 };
    return [
      ["line", { ...at, stroke: ink(null), ...DASHED }],
      ["text", { ...beside, fill: ink(null), "font-size": FONT, "text-anchor": anchor }, name],
    ];
  });
  const drawn = lines.flatMap(({ name, end, run, points, half }, i) => {
    const middle = (i + 1) * row - ROW / 2;
    const look = { fill: ink(run), "font-size": FONT, "font-weight": 600 };
    const halo = { stroke: paper, "stroke-width": 4, "paint-order": "stroke" };
    const level = (x1, x2, stroke, more) => ["line", { x1, x2, y1: middle, y2: middle, stroke, ...more }];
    const y = points.at(-1)[1];
    return [
      ["text", { ...look, ...halo, x: 0, y: i * row + ROW / 2 + 4 }, fitting(name, width, family)],
      ["text", { ...look, x: width, y: middle + 4, "text-anchor": "end" }, end],
      level(from, to, grid),
      level(across(y - half), across(y + half), ink(run), { "stroke-width": 2.5 }),
      ["circle", { cx: across(y), cy: middle, r: 3.5, fill: ink(run) }],
    ];
  });
  const height = bottom + (guides.length + 1) * ROW + 8;
  return { height, list: [...levels, ...drawn, ["text", { x: 0, y: height - 4, fill: ink(null), "font-size": FONT }, axis]] };
}

const pen = document.createElement("canvas").getContext("2d");

// Pixels that a name takes, at its boldest.
function wide(words, family) {
  pen.font = `600 ${FONT}px ${family}`;
  return pen.measureText(words).width;
}

// Words without their middle, where there is no room for all: their end tells lines apart.
function fitting(words, room, family) {
  let found = words;
  for (let kept = words.length - 1; kept > 8 && wide(found, family) > room; kept -= 1) {
    found = `${words.slice(0, Math.ceil(kept / 2)).trimEnd()}…${words.slice(-Math.floor(kept / 2))}`;
  }
  return found;
}
