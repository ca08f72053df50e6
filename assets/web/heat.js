// A heat map whose cells are buttons: a table, so that it can be read aloud and walked through by keyboard.
// data: {across, down, columns: [text], rows: [{name, cells: [cell]}], chosen}
// cell: {text, more, fill, mark, label}; `fill` is empty until the cell is trained.

import { child, fill } from "./dom.js";

export function render({ data, parentElement, setTriggerValue }) {
  const heads = [data.down, ...data.columns].map((name) => ["th", { scope: "col" }, name]);
  const cell = (one, number) => {
    const style = { background: one.fill };
    const told = { "data-mark": one.mark, "aria-label": one.label, "aria-pressed": String(number === data.chosen) };
    const button = { type: "button", style, ...told, onclick: () => setTriggerValue("opened", number) };
    return ["td", [["button.es-heat-cell", button, [["span.es-heat-text", one.text], ["span.es-heat-more", one.more]]]]];
  };
  const row = ({ name, cells }, r) => [
    "tr",
    [["th", { scope: "row" }, name], ...cells.map((one, c) => cell(one, r * cells.length + c))],
  ];
  fill(child(parentElement, "div", "es-heat"), [
    ["p.es-heat-across", data.across],
    ["div.es-heat-scroll", [["table.es-heat-table", [["thead", [["tr", heads]]], ["tbody", data.rows.map(row)]]]]],
  ]);
}
