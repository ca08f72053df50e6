// Who asks for the same, a line each: a dot that is dragged sets the budget of all of them. A group opens, and its
// clients have dots of their own.
// data: {words: [text], values: [text], groups: [{name, clients, all, at, noise: [text], worth: [{kind, words: [text]}]}]};
// a place for each budget.

import { child, fill, log, slider } from "./dom.js";

export function render(component) {
  const box = child(component.parentElement, "div", "es-dots");
  box.component = component;
  box.open ??= new Set();
  show(box);
}

function show(box) {
  const { data } = box.component;
  const lines = data.groups.flatMap((group) => {
    const many = group.clients.length > 1;
    const opened = many && group.clients.some((client) => box.open.has(client));
    const each = opened ? group.clients.map((client) => ({ ...group, name: `client ${client}`, all: [client], inner: true })) : [];
    return [{ ...group, many, opened }, ...each];
  });
  const held = box.contains(document.activeElement) && document.activeElement.dataset.held;
  const ends = lines.map((one) => one.worth[place(box, one)].words.at(-1)); // what several say stands below the last
  fill(box, lines.map((one, i) => line(box, one, data, ends[i] === ends[i + 1])));
  // who sets one client apart by keyboard goes on with that client
  if (held && document.activeElement.dataset.held !== held) box.querySelector(`[data-held="${held}"]`)?.focus();
}

const named = ({ many, all }) => (many ? `group ${all[0]}` : String(all[0]));
const place = (box, one) => (box.moving?.held === named(one) ? box.moving.at : one.at);

function line(box, group, { words, values }, again) {
  const { name, clients, all, many, opened, inner } = group;
  const [held, at] = [named(group), place(box, group)];
  const toggle = () => {
    clients.forEach((client) => (opened ? box.open.delete(client) : box.open.add(client)));
    show(box);
  };
  const move = (to) => {
    box.moving = { held, at: to };
    show(box);
  };
  const onchange = ({ target }) => {
    box.moving = null;
    log(box, all.map((client) => ({ client, field: "epsilon", text: values[Number(target.value)] })));
  };
  const [noise, promise] = [group.noise[at], group.worth[at]];
  const worth = promise.words.join("");
  const told = { "aria-label": `Budget ε of ${name}`, "aria-valuetext": `ε ${words[at]}, ${noise}, ${worth}` };
  const opener = { type: "button", hidden: !many, "aria-expanded": String(Boolean(opened)), onclick: toggle };
  return [
    `div.es-dots-line${inner ? ".es-dots-inner" : ""}`,
    [
      ["button.es-dots-open", opener, name],
      ["span.es-dots-name", { hidden: Boolean(many) }, name],
      slider("es-dot", values.length - 1, at, move, { step: 1, "data-held": held, onchange, ...told }),
      ["strong.es-dots-budget", `ε ${words[at]}`],
      ["span.es-dots-noise", noise],
      ["span.es-dots-worth", (again ? promise.words.slice(0, -1) : promise.words).map((text, n) => [n === 2 ? "b" : "span", n === 2 ? { "data-kind": promise.kind } : {}, text])],
    ],
  ];
}
