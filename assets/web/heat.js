// A heat map whose cells are buttons: a table, so that it can be read aloud and walked through by keyboard.
// data: {across, down, columns: [text], rows: [{name, cells: [cell]}], chosen}
// cell: {text, more, fill, ink, mark, label}; `fill` and `ink` are empty until the cell is trained.

import { child, element, resize, text } from "./dom.js";

export function render(component) {
  const { data, parentElement } = component;
  const box = child(parentElement, "div", "es-heat");
  box.component = component;
  text(child(box, "p", "es-heat-across"), data.across);
  const table = child(child(box, "div", "es-heat-scroll"), "table", "es-heat-table");
  if (!table.tHead) {
    table.createTHead().insertRow();
    table.createTBody();
  }
  const heads = resize(table.tHead.rows[0], data.columns.length + 1, () => Object.assign(element("th", ""), { scope: "col" }));
  text(heads[0], data.down);
  data.columns.forEach((name, i) => text(heads[i + 1], name));
  const rows = resize(table.tBodies[0], data.rows.length, row);
  rows.forEach((node, r) => {
    text(node.firstElementChild, data.rows[r].name);
    const cells = data.rows[r].cells;
    while (node.children.length > cells.length + 1) node.lastElementChild.remove();
    while (node.children.length < cells.length + 1) node.append(cell(box));
    cells.forEach((one, c) => fill(node.children[c + 1].firstElementChild, one, r * cells.length + c, data.chosen));
  });
}

function row() {
  const node = element("tr", "");
  node.append(Object.assign(element("th", ""), { scope: "row" }));
  return node;
}

function cell(box) {
  const node = element("td", "");
  const button = Object.assign(element("button", "es-heat-cell"), { type: "button" });
  button.append(element("span", "es-heat-text"), element("span", "es-heat-more"));
  button.onclick = () => box.component.setTriggerValue("opened", Number(button.dataset.number));
  node.append(button);
  return node;
}

function fill(button, one, number, chosen) {
  button.dataset.number = number;
  button.dataset.mark = one.mark;
  button.style.background = one.fill;
  button.style.color = one.ink;
  button.setAttribute("aria-label", one.label);
  button.setAttribute("aria-pressed", String(number === chosen));
  text(button.firstElementChild, one.text);
  text(button.lastElementChild, one.more);
}
