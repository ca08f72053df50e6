// What was found, in one line and three figures. Words come in pieces, [text, run or null]: a run's name is
// written in its colour.
// data: {line: [piece] or nothing, chips: [{name, pieces, rest, kind, hint, link: [words, address]}]}

import { child, fill } from "./dom.js";
import { palette } from "./theme.js";

export function head(parent, data) {
  const box = child(parent, "div", "es-head-of-page", parent.firstElementChild);
  const colours = palette(box);
  const piece = ([words, run]) => {
    const whole = run !== null && words.length <= 24; // a name like 1/σ
    const [color, weight] = run === null ? ["", ""] : [colours.resolve(`run(${run})`), "650"];
    return ["span.es-piece", { style: { color, "font-weight": weight, "white-space": whole ? "nowrap" : "" } }, words];
  };
  // other words, and not the same ones that move
  const said = (kind, list) => [kind, { key: JSON.stringify(list) }, list.map(piece)];
  const leads = ([words, href]) => [["a.es-chip-link", { href, target: "_self" }, words]];
  const chip = ({ name, pieces, rest, kind, hint, link }) => [
    "div.es-chip",
    { "data-kind": kind ?? "" },
    [
      ["span.es-chip-name", { title: hint ?? "" }, name],
      said("span.es-chip-figure", pieces),
      ["span.es-chip-rest", [["span", `${rest} `], ...(link ? leads(link) : [])]],
    ],
  ];
  fill(box, [...(data.line ? [said("h2.es-headline", data.line)] : []), ["div.es-chips", data.chips.map(chip)]]);
}
