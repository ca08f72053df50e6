// The clients' table: a row a client, three cells to type in, the message at the cell that is wrong.
// data: {rows: [{number, epsilon, low, high, noise, upload, run}], typed: {"3.epsilon": "abc"}, errors: {"3.epsilon": "…"}}
// Edits are kept in a log, so that none is lost however fast they come; Python applies those it has not seen.

import { child, element, resize, text } from "./dom.js";

const FIELDS = ["epsilon", "low", "high"];
const HEADS = ["Client", "Budget ε", "Range from", "to", "Noise σ", "An upload", "The run"];
const DERIVED = ["noise", "upload", "run"];

export function render(component) {
  const { data, parentElement } = component;
  const table = child(child(parentElement, "div", "es-table-room"), "table", "es-table");
  table.component = component;
  table.mount ??= crypto.randomUUID?.() ?? String(Math.random());
  table.log ??= [];
  if (!table.tHead) {
    const row = table.createTHead().insertRow();
    HEADS.forEach((head) => text(row.appendChild(Object.assign(element("th", ""), { scope: "col" })), head));
    table.createTBody();
  }
  const rows = resize(table.tBodies[0], data.rows.length, () => emptyRow(table));
  rows.forEach((row, i) => fill(row, data.rows[i], data));
}

function emptyRow(table) {
  const row = element("tr", "");
  row.append(Object.assign(element("th", ""), { scope: "row" }));
  FIELDS.forEach((field) => {
    const input = Object.assign(element("input", ""), { type: "text", inputMode: "decimal", autocomplete: "off" });
    input.dataset.field = field;
    input.addEventListener("change", () => edited(table, input, input.value));
    input.addEventListener("keydown", (event) => moved(event, input));
    input.addEventListener("paste", (event) => pasted(event, table, input));
    input.addEventListener("focus", () => input.select());
    input.addEventListener("mousedown", (event) => arrived(event, input));
    input.addEventListener("input", () => (input.inUse = true));
    input.addEventListener("blur", () => (input.inUse = false));
    const cell = element("td", "");
    cell.append(input, element("span", "es-error"));
    row.append(cell);
  });
  DERIVED.forEach(() => row.append(element("td", "es-noise-cell")));
  return row;
}

function fill(row, client, data) {
  text(row.cells[0], String(client.number));
  row.dataset.number = client.number;
  row.querySelectorAll("input").forEach((input) => {
    const { field } = input.dataset;
    const name = `${client.number}.${field}`;
    const error = data.errors[name] ?? "";
    const value = data.typed[name] ?? client[field];
    const busy = document.activeElement === input && input.value !== input.shown;
    if (!busy) {
      if (input.value !== value) input.value = value;
      input.shown = value; // what Python knows; whatever differs from it is still to be sent
    }
    input.setAttribute("aria-label", `Client ${client.number}, ${HEADS[FIELDS.indexOf(field) + 1]}`);
    input.setAttribute("aria-invalid", String(Boolean(error)));
    text(input.nextElementSibling, error);
  });
  DERIVED.forEach((name, i) => text(row.cells[1 + FIELDS.length + i], client[name]));
}

function send(table, edits) {
  edits.forEach((edit) => table.log.push({ serial: table.log.length + 1, ...edit }));
  table.component.setStateValue("edits", { mount: table.mount, log: table.log.slice(-2000) });
}

function edited(table, input, value) {
  if (value === input.shown) return;
  input.shown = value;
  const { number } = input.closest("tr").dataset;
  send(table, [{ client: Number(number), field: input.dataset.field, text: value }]);
}

// The first click into a cell selects what is in it, even if Enter led there before: what is typed then takes
// its place. A second one places the caret, as does one into a cell in which something was typed.
function arrived(event, input) {
  if (input.inUse || event.button !== 0) return;
  event.preventDefault(); // or the browser would place the caret when the button is released
  input.focus();
  input.select();
  input.inUse = true;
}

// Enter and the arrows go up and down a column, as in a spreadsheet.
function moved(event, input) {
  const step = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const row = input.closest("tr");
  const next = step > 0 ? row.nextElementSibling : row.previousElementSibling;
  const target = next?.querySelector(`[data-field="${input.dataset.field}"]`);
  if (target) target.focus();
  else input.blur();
}

// A block pasted from a spreadsheet fills the cells from here on, down and to the right.
function pasted(event, table, input) {
  const block = event.clipboardData.getData("text").replace(/\r/g, "").replace(/\n$/, "");
  if (!/[\t\n]/.test(block)) return;
  event.preventDefault();
  const rows = [...table.tBodies[0].rows];
  const top = rows.indexOf(input.closest("tr"));
  const left = FIELDS.indexOf(input.dataset.field);
  const edits = block.split("\n").flatMap((line, i) =>
    line.split("\t").map((value, j) => ({ row: rows[top + i], field: FIELDS[left + j], text: value.trim() })),
  );
  send(
    table,
    edits
      .filter((edit) => edit.row && edit.field)
      .map(({ row, field, text: value }) => ({ client: Number(row.dataset.number), field, text: value })),
  );
}
