// What each design comes to at the server: a line each, its verdict in words and its figures.
// data: {title, rest, rows: [{name, run, word, why, figures: [[what, value]], promise: {kind, words: [text]},
// scale}], note, keys}
// keys: of what was computed ahead (live.js), by which the rows follow the hand; or null
// scale: {limits: [from, to], at, names: [text, text], ratio} or null: places as shares of a line that goes from
// learning over borderline to chance

import { child, element, resize, text } from "./dom.js";
import { following, known, live } from "./live.js";
import { palette } from "./theme.js";

export function render({ data, parentElement }) {
  const box = child(parentElement, "section", "es-verdicts");
  const ahead = (place) => data.keys && known(place, data.keys)?.verdicts;
  if (!live.place || !ahead(live.place)) show(box, data);
  following(box, (place) => {
    const step = ahead(place);
    if (step) show(box, { ...data, ...step });
  });
}

function show(box, data) {
  const head = child(box, "p", "es-head");
  text(child(head, "strong", "es-what"), data.title);
  text(child(head, "span", "es-rest-of-title"), data.rest);
  const colours = palette(box);
  resize(child(box, "div", "es-verdict-rows"), data.rows.length, row).forEach((node, i) => {
    const one = data.rows[i];
    const name = text(node.querySelector(".es-verdict-name"), one.name);
    name.style.color = colours.resolve(`run(${one.run})`);
    const word = text(node.querySelector(".es-verdict-word"), one.word);
    word.dataset.kind = one.word;
    const figures = resize(node.querySelector(".es-verdict-figures"), one.figures.length, () => {
      const figure = element("span", "es-figure");
      figure.append(element("span", "es-figure-what"), element("strong", "es-figure-value"));
      return figure;
    });
    figures.forEach((figure, k) => {
      text(figure.firstElementChild, one.figures[k][0]);
      text(figure.lastElementChild, one.figures[k][1]);
    });
    text(node.querySelector(".es-verdict-promise"), one.promise.words.join("")).dataset.kind = one.promise.kind;
    scale(node.querySelector(".es-verdict-scale"), one, colours);
    text(node.querySelector(".es-verdict-why"), one.why);
  });
  text(child(box, "p", "es-caption-below"), data.note);
}

function row() {
  const node = element("div", "es-verdict-row");
  const line = element("p", "es-verdict-line");
  line.append(element("strong", "es-verdict-name"), element("strong", "es-verdict-word"));
  const place = element("div", "es-verdict-scale");
  place.setAttribute("role", "img");
  place.append(element("i", "es-verdict-at"));
  node.append(line, place, element("div", "es-verdict-figures"), element("p", "es-verdict-promise"), element("p", "es-verdict-why"));
  return node;
}

function scale(node, one, colours) {
  node.hidden = !one.scale;
  if (!one.scale) return;
  const { limits, at, names, ratio } = one.scale;
  node.setAttribute("aria-label", `noise ${ratio} times what it is held against; ${names.join("; ")}`);
  node.title = names.join(", ");
  limits.forEach((place, i) => node.style.setProperty(`--limit-${i}`, `${100 * place}%`));
  node.firstElementChild.style.left = `${100 * at}%`;
  node.firstElementChild.style.background = colours.resolve(`run(${one.run})`);
}
