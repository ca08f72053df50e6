// The clients' table: a row a client, three cells to type in, the message at the cell that is wrong.
// data: {rows: [{number, epsilon, low, high, noise, upload, run}], typed: {"3.epsilon": "abc"}, errors: {"3.epsilon": "…"}}

import { child, fill, log } from "./dom.js";

const FIELDS = ["epsilon", "low", "high"];
const HEADS = ["Client", "Budget ε", "Range from", "to", "Noise σ", "An upload", "The run"];
const DERIVED = ["noise", "upload", "run"];

export function render(component) {
  const { data } = component;
  const table = child(child(component.parentElement, "div", "es-table-room"), "table", "es-table");
  table.component = component;
  const heads = HEADS.map((head) => ["th", { scope: "col" }, head]);
  const rows = data.rows.map((client) => [
    "tr",
    { "data-number": client.number },
    [
      ["th", { scope: "row" }, String(client.number)],
      ...FIELDS.map((field, i) => cell(table, client, field, HEADS[i + 1], data.errors[`${client.number}.${field}`] ?? "")),
      ...DERIVED.map((name) => ["td.es-noise-cell", client[name]]),
    ],
  ]);
  fill(table, [["thead", [["tr", heads]]], ["tbody", rows]]);
  [...table.tBodies[0].rows].forEach((row, i) =>
    row.querySelectorAll("input").forEach((input) => {
      const { field } = input.dataset;
      const value = data.typed[`${data.rows[i].number}.${field}`] ?? data.rows[i][field];
      if (document.activeElement === input && input.value !== input.shown) return; // somebody types
      if (input.value !== value) input.value = value;
      input.shown = value; // what Python knows; whatever differs from it is still to be sent
    }),
  );
}

function cell(table, { number }, field, head, error) {
  const input = {
    ...{ type: "text", inputMode: "decimal", autocomplete: "off", "data-field": field },
    ...{ "aria-label": `Client ${number}, ${head}`, "aria-invalid": String(Boolean(error)) },
    onchange: ({ target }) => edited(table, target),
    onkeydown: moved,
    onpaste: (event) => pasted(event, table),
    onfocus: ({ target }) => target.select(),
    onmousedown: arrived,
    oninput: ({ target }) => (target.inUse = true),
    onblur: ({ target }) => (target.inUse = false),
  };
  return ["td", [["input", input], ["span.es-error", error]]];
}

function edited(table, input) {
  if (input.value === input.shown) return;
  input.shown = input.value;
  const { number } = input.closest("tr").dataset;
  log(table, [{ client: Number(number), field: input.dataset.field, text: input.value }]);
}

// The first click into a cell selects what is in it, even if Enter led there before: what is typed then takes
// its place. A second one places the caret, as does one into a cell in which something was typed.
function arrived(event) {
  const input = event.target;
  if (input.inUse || event.button !== 0) return;
  event.preventDefault(); // or the browser would place the caret when the button is released
  input.focus();
  input.select();
  input.inUse = true;
}

// Enter and the arrows go up and down a column, as in a spreadsheet.
function moved(event) {
  const input = event.target;
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
function pasted(event, table) {
  const block = event.clipboardData.getData("text").replace(/\r/g, "").replace(/\n$/, "");
  if (!/[\t\n]/.test(block)) return;
  event.preventDefault();
  const rows = [...table.tBodies[0].rows];
  const top = rows.indexOf(event.target.closest("tr"));
  const left = FIELDS.indexOf(event.target.dataset.field);
  const edits = block.split("\n").flatMap((line, i) =>
    line.split("\t").map((value, j) => ({ client: Number(rows[top + i]?.dataset.number), field: FIELDS[left + j], text: value.trim() })),
  );
  log(table, edits.filter((edit) => edit.client && edit.field));
}
