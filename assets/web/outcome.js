// A small picture of what a scenario came to: accuracies as lines, labelled at their ends, and what an attacker
// got under each design. data: {lines: [{name, run, points: [[x, y]], end}], guides: [{name, y}], range: [x0, x1],
// axis, dots, images: [{image, name, caption, mark}], height, label}; x as it is, y a share. What is still to be guessed
// has no points, and a null for an image. With `dots`, a row for each line: its last value, and ± half.

import { child, element, resize, text } from "./dom.js";
import { paint } from "./pixels.js";
import { palette } from "./theme.js";

const FONT = 12;
const BESIDE = 10; // pixels between lines and their names, and after these
const GAP = 14;
const [ROW, NARROW] = [17, 90]; // height of a row with a dot, and the least width of its scale
const MARK = 40; // of a question that is still open

export function render({ data, parentElement }) {
  const box = child(parentElement, "div", "es-outcome");
  const place = child(box, "div", "es-outcome-chart");
  const shots = child(box, "div", "es-outcome-images");
  images(shots, data.images);
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

function images(parent, list) {
  const shots = resize(parent, list.length, () => {
    const shot = element("figure", "es-outcome-shot");
    shot.append(document.createElement("canvas"), element("figcaption", "es-outcome-caption"));
    return shot;
  });
  shots.forEach((shot, i) => {
    const { image, name, caption, mark } = list[i];
    if (image) paint(shot.firstElementChild, image);
    else blank(shot.firstElementChild);
    shot.firstElementChild.setAttribute("role", "img");
    shot.firstElementChild.setAttribute("aria-label", image ? `${name}: ${caption}` : `${name}: to be guessed`);
    shot.dataset.mark = mark;
    shot.title = `${name} ${caption}`; // where there is no room for the whole name
    const words = resize(shot.lastElementChild, 2, () => element("span", "es-outcome-line"));
    text(words[0], name);
    text(words[1], caption);
  });
}

function blank(canvas) {
  canvas.width = canvas.height = 1;
  canvas.shown = undefined;
}

function chart(place) {
  const { lines, guides, range, axis, label, dots } = place.latest;
  const width = Math.floor(place.clientWidth);
  if (!width) return;
  const colours = palette(place);
  const ink = (run) => colours.resolve(run === null ? "var(--st-gray-text-color)" : `run(${run})`);
  const ends = [
    ...lines.map((line) => ({ words: `${line.name} ${line.end}`, y: line.points.at(-1)?.[1] ?? 0.5, run: line.run })),
    ...guides.map((guide) => ({ words: guide.name, y: guide.y, run: null })),
  ];
  const family = getComputedStyle(place).fontFamily;
  const widest = (list) => Math.max(...list.map((words) => wide(words, family))) + BESIDE;
  const [names, values] = dots ? [widest(lines.map((line) => line.name)), widest(lines.map((line) => line.end))] : [0, 0];
  const above = width - names - values < NARROW; // each name on a line of its own
  const row = above ? 2 * ROW : ROW;
  const height = dots ? lines.length * row + guides.length * ROW + 8 : place.latest.height;
  const right = Math.min(0.6 * width, BESIDE + Math.max(...ends.map((end) => wide(end.words, family))));
  const [top, bottom] = [8, height - 20];
  const x = (value) => 4 + ((value - range[0]) / (range[1] - range[0] || 1)) * (width - right - 8);
  const y = (share) => bottom - share * (bottom - top);
  const space = "http://www.w3.org/2000/svg";
  const make = (tag, attributes, words) => {
    const node = document.createElementNS(space, tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    if (words !== undefined) node.textContent = words;
    return node;
  };
  const svg = make("svg", { width, height, role: "img", "aria-label": label });
  if (dots) return rows();
  const grid = colours.resolve("var(--st-border-color-light)");
  [0, 0.5, 1].forEach((share) => svg.append(make("line", { x1: 4, x2: width - right, y1: y(share), y2: y(share), stroke: grid })));
  guides.forEach((guide) =>
    svg.append(make("line", { x1: 4, x2: width - right, y1: y(guide.y), y2: y(guide.y), stroke: ink(null), "stroke-dasharray": "2 3" })),
  );
  const open = lines.filter((line) => !line.points.length);
  open.forEach((line, i) => {
    const at = 4 + ((i + 1) / (open.length + 1)) * (width - right - 8);
    const look = { x: at, y: (top + bottom) / 2 + MARK / 3, fill: ink(line.run), "font-size": MARK, "font-weight": 700, "text-anchor": "middle" };
    svg.append(make("text", look, "?"));
  });
  lines.filter((line) => line.points.length).forEach((line) => {
    const points = line.points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
    svg.append(make("polyline", { points, fill: "none", stroke: ink(line.run), "stroke-width": 2.5, "stroke-linejoin": "round" }));
    const [a, b] = line.points.at(-1);
    svg.append(make("circle", { cx: x(a), cy: y(b), r: 3, fill: ink(line.run) }));
  });
  spread(ends.map((end) => y(end.y)), top, bottom).forEach((at, i) => {
    const weight = ends[i].run === null ? 400 : 600;
    svg.append(make("text", { x: width - right + 6, y: at + 4, fill: ink(ends[i].run), "font-size": FONT, "font-weight": weight }, fitting(ends[i].words, right - 6, family)));
  });
  svg.append(make("text", { x: 4, y: height - 4, fill: ink(null), "font-size": 12 }, axis));
  place.replaceChildren(svg);

  function rows() {
    const [from, to] = [above ? 4 : names, width - values - 4];
    const across = (share) => from + Math.max(0, Math.min(1, share)) * (to - from);
    const bottom = lines.length * row;
    guides.forEach(({ name, y }, i) => {
      const look = { x1: across(y), x2: across(y), y1: 0, y2: bottom + i * ROW + 4, stroke: ink(null), "stroke-dasharray": "2 3" };
      const anchor = y > 0.5 || (across(y) + wide(name, family) > width) ? "end" : "start";
      svg.append(make("line", look), make("text", { x: across(y) + (anchor === "end" ? -4 : 4), y: bottom + i * ROW + 12, fill: ink(null), "font-size": FONT, "text-anchor": anchor }, name));
    });
    lines.forEach(({ name, end, run, points, half }, i) => {
      const middle = (i + 1) * row - ROW / 2;
      const look = { fill: ink(run), "font-size": FONT, "font-weight": 600 };
      const halo = { stroke: colours.resolve("var(--st-background-color)"), "stroke-width": 4, "paint-order": "stroke" };
      svg.append(make("text", { ...look, ...halo, x: 0, y: i * row + ROW / 2 + 4 }, fitting(name, width, family)));
      svg.append(make("text", { ...look, x: width, y: middle + 4, "text-anchor": "end" }, end));
      svg.append(make("line", { x1: from, x2: to, y1: middle, y2: middle, stroke: colours.resolve("var(--st-border-color-light)") }));
      if (!points.length) return;
      const y = points.at(-1)[1];
      svg.append(make("line", { x1: across(y - half), x2: across(y + half), y1: middle, y2: middle, stroke: ink(run), "stroke-width": 2.5 }));
      svg.append(make("circle", { cx: across(y), cy: middle, r: 3.5, fill: ink(run) }));
    });
    place.replaceChildren(svg);
  }
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

// Where labels stand that keep their distance, as near to their lines as that allows.
function spread(wanted, top, bottom) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const found = [...wanted];
  order.forEach((i, k) => {
    if (k) found[i] = Math.max(found[i], found[order[k - 1]] + GAP);
  });
  let limit = bottom + 6;
  [...order].reverse().forEach((i) => {
    found[i] = Math.max(top, Math.min(found[i], limit));
    limit = found[i] - GAP;
  });
  return found;
}
