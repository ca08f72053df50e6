// The table of runs: a row a run, ticked by its box, sorted by a column's head, opened by its name.
// data: {heads: [{text, by, sorted}], rows: [{id, kind, href, name, stands, compared, note, curves: [{tint, values}],
// accuracy, which, epsilon: [figure, word], picked: [figure, word], when}], ticked: [id]}
// To Python: "ticked", all ids; "sorted", by what; "opened", [kind, id].

import { child, element, resize, text } from "./dom.js";
import { palette } from "./theme.js";

const WIDTH = 90;
const HEIGHT = 28;
const SVG = "http://www.w3.org/2000/svg";

export function render(component) {
  const { data, parentElement } = component;
  const box = child(parentElement, "div", "es-runs-room");
  box.component = component;
  if (!(performance.now() < box.until)) box.ticked = data.ticked; // what is drawn may be older than the last tick
  const table = child(box, "table", "es-runs");
  if (!table.tHead) {
    table.createTHead().insertRow();
    table.createTBody();
  }
  const heads = resize(table.tHead.rows[0], data.heads.length + 1, () => Object.assign(element("th", ""), { scope: "col" }));
  text(heads[0], "✓"); // an empty head has no name for axe, not even with a label
  heads[0].setAttribute("aria-label", "Ticked");
  data.heads.forEach((one, i) => head(box, heads[i + 1], one));
  const colours = palette(box);
  resize(table.tBodies[0], data.rows.length, () => row(box, data.heads.length)).forEach((node, i) => fill(node, data.rows[i], box.ticked, colours));
}

function head(box, node, { text: words, by, sorted }) {
  if (!by) return text(node, words);
  const button = child(node, "button", "es-runs-head");
  button.type = "button";
  text(button, words);
  button.onclick = () => box.component.setTriggerValue("sorted", by);
  if (sorted) node.setAttribute("aria-sort", sorted);
  else node.removeAttribute("aria-sort");
}

function row(box, columns) {
  const node = element("tr", "");
  const tick = Object.assign(element("input", ""), { type: "checkbox" });
  tick.onchange = () => {
    const others = box.ticked.filter((id) => id !== node.dataset.id);
    box.ticked = tick.checked ? [...others, node.dataset.id] : others;
    box.until = performance.now() + 1000;
    box.component.setTriggerValue("ticked", box.ticked); // a state that is as it was would not be heard
  };
  const label = element("label", ""); // all of the cell is the target of a finger
  label.append(tick);
  node.append(element("td", ""), Object.assign(element("th", ""), { scope: "row" }));
  node.firstElementChild.append(label);
  while (node.children.length <= columns) node.append(element("td", ""));
  const name = element("a", "");
  name.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !name.getAttribute("href")) return;
    event.preventDefault();
    box.component.setTriggerValue("opened", [node.dataset.kind, node.dataset.id]);
  };
  const about = element("span", "es-runs-about");
  about.append(element("span", "es-runs-stands"), element("span", "es-runs-compared"));
  node.cells[1].append(name, about, element("span", "es-runs-note"));
  const picture = document.createElementNS(SVG, "svg");
  Object.entries({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img" }).forEach(([key, value]) =>
    picture.setAttribute(key, value),
  );
  node.cells[2].append(picture);
  [...node.cells].slice(3).forEach((cell) => cell.append(element("span", "es-runs-figure"), element("span", "es-runs-word")));
  return node;
}

function fill(node, one, ticked, colours) {
  const [box, name, curve, ...figures] = node.cells;
  node.dataset.id = one.id;
  node.dataset.kind = one.kind;
  const tick = box.querySelector("input");
  tick.checked = ticked.includes(one.id);
  tick.setAttribute("aria-label", `Tick ${one.name}`);
  const [link, about, note] = name.children;
  if (one.href) link.setAttribute("href", one.href);
  else link.removeAttribute("href");
  text(link, one.name);
  about.title = one.compared;
  text(about.firstElementChild, one.stands);
  text(about.lastElementChild, one.compared);
  text(note, one.note);
  drawn(curve.firstElementChild, one, colours);
  [[one.accuracy, one.which && `best: ${one.which}`], one.epsilon, one.picked, [one.when, ""]].forEach((pair, i) =>
    pair.forEach((words, k) => text(figures[i].children[k], words)),
  );
}

// From 0 to 100 % on every row, so that rows may be compared by eye.
function drawn(picture, { curves, accuracy }, colours) {
  picture.setAttribute("aria-label", curves.length ? `Accuracy by round, ending at ${accuracy}` : "No curve");
  while (picture.children.length > curves.length) picture.lastElementChild.remove();
  while (picture.children.length < curves.length) picture.append(document.createElementNS(SVG, "polyline"));
  curves.forEach(({ tint, values }, i) => {
    const points = values.map((value, k) => `${((WIDTH * k) / (values.length - 1)).toFixed(1)},${(1 + (HEIGHT - 2) * (1 - value)).toFixed(1)}`);
    picture.children[i].setAttribute("points", points.join(" "));
    picture.children[i].setAttribute("stroke", colours.resolve(`run(${tint})`));
  });
}
