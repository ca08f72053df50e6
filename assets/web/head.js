// What was found, in one line and three figures. Words come in pieces, [text, run or null]: a run's name is
// written in its colour.
// data: {line: [piece], chips: [{name, pieces, rest, kind}]}

import { child, element, resize, text } from "./dom.js";
import { palette } from "./theme.js";

export function head(parent, data) {
  const box = child(parent, "div", "es-head-of-page", parent.firstElementChild);
  const line = child(box, "h2", "es-headline");
  pieces(line, data.line);
  const chips = resize(child(box, "div", "es-chips"), data.chips.length, () => element("div", "es-chip"));
  chips.forEach((chip, i) => {
    const { name, pieces: words, rest, kind } = data.chips[i];
    chip.dataset.kind = kind ?? "";
    text(child(chip, "span", "es-chip-name"), name).title = data.chips[i].hint ?? "";
    pieces(child(chip, "span", "es-chip-figure"), words);
    text(child(chip, "span", "es-chip-rest"), rest);
  });
}

function pieces(parent, list) {
  const colours = palette(parent);
  const said = JSON.stringify(list);
  if (parent.said !== said) parent.replaceChildren(); // other words, and not the same ones that move
  parent.said = said;
  resize(parent, list.length, () => element("span", "es-piece")).forEach((node, i) => {
    const [words, run] = list[i];
    text(node, words);
    node.style.color = run === null ? "" : colours.resolve(`run(${run})`);
    node.style.fontWeight = run === null ? "" : "650";
    node.style.whiteSpace = run === null || words.length > 24 ? "" : "nowrap"; // a name like 1/σ stays whole
  });
}
